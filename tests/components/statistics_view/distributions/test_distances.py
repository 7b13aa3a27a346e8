"""Distances are small without a change and large with a change, for all shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tensorflow_data_validation as tfdv

from components.statistics_view.distributions.distances import Distance, measure_distances

COLUMN = "a.b (€)"
ROWS = 2000

SHAPES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda r, n: r.normal(size=n),
    "heavy tail": lambda r, n: r.lognormal(0, 2, n),
    "no mean": lambda r, n: r.standard_cauchy(n),
    "few integers": lambda r, n: r.integers(0, 3, n),
    "many integers": lambda r, n: np.floor(r.exponential(20, n)).astype(int),
    "mostly zero": lambda r, n: r.lognormal(0, 2, n) * (r.random(n) < 0.08),
    "half zero": lambda r, n: r.lognormal(0, 2, n) * (r.random(n) < 0.5),
    "capped": lambda r, n: np.minimum(r.normal(size=n), 0.5),
    "constant": lambda r, n: np.ones(n),
    "infinite": lambda r, n: np.where(r.random(n) < 0.01, np.inf, r.normal(size=n)),
    "text": lambda r, n: r.choice(["a", "b", "c"], n, p=[0.7, 0.2, 0.1]),
    "names": lambda r, n: np.array([f"name {i}" for i in r.integers(0, 900, n)]),
}


def distance(now: Sequence[Any], before: Sequence[Any]) -> Distance:
    statistics = [
        tfdv.generate_statistics_from_dataframe(pd.DataFrame({COLUMN: values})).datasets[0]
        for values in (now, before)
    ]
    text = isinstance(now[0], str)
    threshold = {"infinity_norm" if text else "jensen_shannon_divergence": 0.1}
    (found,) = measure_distances(*statistics, {COLUMN: threshold}, 1e-3)
    return found


@pytest.mark.parametrize("name", SHAPES)
def test_a_second_sample_of_one_distribution_is_close(name: str) -> None:
    random = np.random.default_rng(7)
    for _ in range(3):
        found = distance(SHAPES[name](random, ROWS), SHAPES[name](random, ROWS))
        assert found.value < 0.04
        assert found.allowance < 0.06


CHANGES: dict[str, Callable[[np.random.Generator], tuple[Any, Any]]] = {
    "shifted": lambda r: (r.normal(1, 1, ROWS), r.normal(0, 1, ROWS)),
    "other unit": lambda r: (r.lognormal(0, 1, ROWS) * 10, r.lognormal(0, 1, ROWS)),
    "below": lambda r: (r.normal(-9, 1, ROWS), r.normal(0, 1, ROWS)),
    "other constant": lambda r: (np.full(ROWS, 0.5), np.ones(ROWS)),
    "zero turned negative": lambda r: (-np.ones(ROWS), np.zeros(ROWS)),
    "other codes": lambda r: (r.integers(3, 6, ROWS), r.integers(0, 3, ROWS)),
    "no longer zero": lambda r: (SHAPES["heavy tail"](r, ROWS), SHAPES["mostly zero"](r, ROWS)),
    "other majority": lambda r: (["a"] * 300 + ["b"] * 700, ["a"] * 700 + ["b"] * 300),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_distribution_exceeds_the_limit(name: str) -> None:
    found = distance(*CHANGES[name](np.random.default_rng(7)))
    assert found.value > found.limit


def test_outliers_hardly_change_the_distance() -> None:
    random = np.random.default_rng(7)
    now = np.append(random.normal(size=ROWS), [1e6, -1e9])
    assert distance(now, random.normal(size=ROWS)).value < 0.02
    assert distance(random.normal(size=ROWS), now).value < 0.02


def test_an_int_and_a_float_column_are_compared_as_numbers() -> None:
    values = np.random.default_rng(7).integers(0, 50, ROWS)
    assert distance(values, values.astype(float)).value < 0.001


def test_columns_that_cannot_be_compared_are_left_out() -> None:
    now = pd.DataFrame({"text": ["a"] * 5, "empty": [None] * 5, "new": [1.0] * 5})
    before = pd.DataFrame({"text": [1.0] * 5, "empty": ["a"] * 5})
    statistics = [tfdv.generate_statistics_from_dataframe(t).datasets[0] for t in (now, before)]
    thresholds = {name: {"jensen_shannon_divergence": 0.1} for name in now}
    assert measure_distances(*statistics, thresholds, 1e-3) == []


def test_a_column_with_few_values_is_compared() -> None:
    now, before = ["a"] * 30 + [None] * 70, ["b"] * 40 + [None] * 60
    found = distance(now, before)
    assert found.value == pytest.approx(1)
