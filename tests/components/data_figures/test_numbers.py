"""Numbers of all samples are counted between the same edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import tensorflow_data_validation as tfdv

from components.data_figures.numbers import count_numbers, sort_values, summarize_number

RANDOM = np.random.default_rng(0)


def statistics(values: object) -> Any:
    frame = pd.DataFrame({"a": values})
    return tfdv.generate_statistics_from_dataframe(frame).datasets[0].features[0]


def cells(values: Any) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values)])


def test_a_number_is_summarised_from_its_rows() -> None:
    values = RANDOM.normal(10, 2, 5000)
    values[:500] = 0
    rows = sort_values(cells(values))
    found = summarize_number(statistics(values), rows)
    assert found is not None
    assert (found.minimum, found.maximum) == pytest.approx((values.min(), values.max()))
    assert found.median == pytest.approx(np.median(values))
    assert found.lower_quartile == pytest.approx(np.quantile(values, 0.25))
    assert found.upper_quartile == pytest.approx(np.quantile(values, 0.75))
    assert found.mean == pytest.approx(values.mean())
    assert found.standard_deviation == pytest.approx(values.std())
    assert found.zeros == pytest.approx(0.1)


def test_without_rows_the_figures_are_estimated() -> None:
    samples = {"train": RANDOM.normal(size=4000), "served": RANDOM.normal(1, 1, 4000)}
    known = {name: statistics(values) for name, values in samples.items()}
    found = count_numbers(known, {"train": sort_values(cells(samples["train"]))}, False)
    assert found is not None
    assert found.estimated == ("served",)
    for name, values in samples.items():
        counts, _ = np.histogram(values, found.edges)
        near = 0.03 if name == "served" else 1e-9
        assert found.shares[name] == pytest.approx(counts / 4000, abs=near)
    summary = summarize_number(known["served"], None)
    assert summary is not None
    assert summary.median == pytest.approx(np.median(samples["served"]), abs=0.1)


def test_each_of_few_integers_has_a_bin() -> None:
    values = RANDOM.integers(0, 5, 1000)
    found = count_numbers(
        {"train": statistics(values)}, {"train": sort_values(cells(values))}, True
    )
    assert found is not None
    assert found.edges == (-0.5, 0.5, 1.5, 2.5, 3.5, 4.5)
    assert found.shares["train"] == pytest.approx(np.bincount(values) / 1000)


def test_values_beyond_the_edges_are_counted() -> None:
    values = np.concatenate([RANDOM.normal(size=1000), [1e6, 1e7, np.inf], [-np.inf], [np.nan]])
    rows = sort_values(cells(values))
    assert (rows.count, rows.below, rows.above) == (1004, 1, 1)
    assert rows.quantile(0) is None
    assert rows.quantile(0.5) == pytest.approx(np.nanmedian(values), abs=0.01)
    found = count_numbers({"train": statistics(values[:1002])}, {"train": rows}, False)
    assert found is not None
    assert (found.below["train"], found.above["train"]) == (1, 3)
    assert sum(found.shares["train"]) == pytest.approx(1000 / 1004)


def test_a_column_without_finite_values_has_no_histogram() -> None:
    assert count_numbers({"train": statistics([np.inf] * 5)}, {}, False) is None
    assert count_numbers({}, {}, False) is None


def test_missing_values_are_no_values() -> None:
    assert sort_values(cells([3, None, 1])).values.tolist() == [1, 3]
    assert sort_values(cells([None, 2.5, float("nan")])).values.tolist() == [2.5]
