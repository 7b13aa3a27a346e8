"""Associations equal the textbook's, and tell nothing where there is nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

from components.data_figures.association_measures import (
    encode_category,
    encode_number,
    measure_association,
)

RANDOM = np.random.default_rng(0)
ROWS = 2000


def cells(values: object) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, from_pandas=True)])


def test_two_numbers_have_the_rank_correlation() -> None:
    x = RANDOM.lognormal(0, 3, ROWS)
    y = np.round(np.log(x) + RANDOM.normal(0, 2, ROWS))
    found = measure_association(encode_number(cells(x)), encode_number(cells(-y)))
    assert found == pytest.approx(stats.spearmanr(x, y).statistic)


def test_missing_values_are_left_out() -> None:
    x = RANDOM.normal(size=ROWS)
    y = np.where(RANDOM.random(ROWS) < 0.3, np.nan, x)
    found = measure_association(encode_number(cells(x)), encode_number(cells(y)))
    assert found == pytest.approx(1, abs=0.001)


def test_two_categories_have_cramers_v_with_bergsmas_correction() -> None:
    a = RANDOM.choice(list("abc"), ROWS)
    b = np.where(RANDOM.random(ROWS) < 0.4, a, RANDOM.choice(list("abcd"), ROWS))
    found = measure_association(
        encode_category(pa.chunked_array([a])), encode_category(pa.chunked_array([b]))
    )
    chi, *_ = stats.chi2_contingency(pd.crosstab(a, b), correction=False)
    phi = max(0, chi / ROWS - 2 * 3 / (ROWS - 1))
    assert found == pytest.approx(np.sqrt(phi / (3 - 4 / (ROWS - 1) - 1)))


def test_a_number_and_a_category_have_the_correlation_ratio() -> None:
    group = RANDOM.choice(3, ROWS)
    x = group + RANDOM.normal(size=ROWS)
    found = measure_association(encode_number(cells(x)), encode_category(cells(group)))
    ranks = stats.rankdata(x)
    f = stats.f_oneway(*(ranks[group == g] for g in range(3))).statistic
    eta = 2 * f / (2 * f + ROWS - 3)
    assert found == pytest.approx(np.sqrt(1 - (1 - eta) * (ROWS - 1) / (ROWS - 3)))
    turned = measure_association(encode_category(cells(group)), encode_number(cells(x)))
    assert turned == found


def test_unrelated_columns_have_hardly_any_association() -> None:
    number = encode_number(cells(RANDOM.normal(size=ROWS)))
    ids = encode_category(cells(RANDOM.choice(300, ROWS)))
    few = encode_category(cells(RANDOM.choice(2, ROWS)))
    for one, other in ((number, ids), (number, few), (ids, few)):
        assert measure_association(one, other) < 0.15


@pytest.mark.parametrize("constant", [[1.0] * ROWS, [None] * ROWS, [1e30] * (ROWS - 1) + [None]])
def test_a_constant_column_has_no_association(constant: list[float | None]) -> None:
    column = pa.chunked_array([pa.array(constant, pa.float32())])
    other = RANDOM.normal(size=ROWS)
    for encoded in (encode_number(column), encode_category(column)):
        assert measure_association(encoded, encode_number(cells(other))) is None
        assert measure_association(encode_category(cells(other > 0)), encoded) is None


def test_rare_values_share_a_code() -> None:
    values = ["often"] * 50 + [f"rare {i}" for i in range(500)] + [None]
    encoded = encode_category(pa.chunked_array([values]))
    assert encoded.count == 100
    assert list(encoded.codes[:50]) == [0] * 50
    assert encoded.codes[-1] == -1
    assert encoded.codes.max() == 99
