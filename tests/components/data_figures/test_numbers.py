"""Numbers of all samples are counted over the same bins."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import tensorflow_data_validation as tfdv

from components.data_figures.numbers import choose_edges, count_numbers, summarize_number

RANDOM = np.random.default_rng(0)


def statistics(values: object) -> object:
    frame = pd.DataFrame({"a": values})
    return tfdv.generate_statistics_from_dataframe(frame).datasets[0].features[0]


def test_a_number_is_summarised() -> None:
    values = RANDOM.normal(10, 2, 5000)
    values[:500] = 0
    found = summarize_number(statistics(values))
    assert found.minimum == pytest.approx(values.min())
    assert found.maximum == pytest.approx(values.max())
    assert found.median == pytest.approx(np.median(values), abs=0.1)
    assert found.lower_quartile == pytest.approx(np.quantile(values, 0.25), abs=0.2)
    assert found.upper_quartile == pytest.approx(np.quantile(values, 0.75), abs=0.2)
    assert found.mean == pytest.approx(values.mean())
    assert found.standard_deviation == pytest.approx(values.std())
    assert found.zeros == pytest.approx(0.1)


def test_the_shares_are_those_of_a_histogram() -> None:
    samples = {"train": RANDOM.normal(size=4000), "eval": RANDOM.normal(1, 1, 4000)}
    found = count_numbers({name: statistics(v) for name, v in samples.items()}, False)
    for name, values in samples.items():
        counts, _ = np.histogram(np.clip(values, found.edges[0], found.edges[-1]), found.edges)
        assert found.shares[name] == pytest.approx(counts / 4000, abs=0.03)


def test_each_of_few_integers_has_a_bin() -> None:
    values = RANDOM.integers(0, 5, 1000)
    found = count_numbers({"train": statistics(values)}, True)
    assert found.edges == (-0.5, 0.5, 1.5, 2.5, 3.5, 4.5)
    assert found.shares["train"] == pytest.approx(np.bincount(values) / 1000, abs=0.08)


@pytest.mark.parametrize(
    ("low", "high", "is_integer"),
    [(0, 1, False), (3, 3, True), (5, 5, False), (1e30, 1e30, False), (0, 1e15, True),
     (1e16, 1e16 + 2, False), (-7, 60, True)],
)  # fmt: skip
def test_edges_ascend_and_hold_the_range(low: float, high: float, is_integer: bool) -> None:
    edges = choose_edges(low, high, is_integer)
    assert len(edges) >= 2
    assert (np.diff(edges) > 0).all()
    assert edges[0] <= low <= high <= edges[-1]


def test_a_column_without_finite_values_has_no_histogram() -> None:
    assert count_numbers({"train": statistics([np.inf] * 5)}, False) is None
    assert count_numbers({}, False) is None
