"""Edges hold the range, and fall between the values of rounded numbers."""

from __future__ import annotations

import numpy as np
import pytest

from components.data_figures.edges import choose_edges

RANDOM = np.random.default_rng(0)


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


@pytest.mark.parametrize(
    ("values", "step"),
    [
        (np.arange(10, 51) / 10, 0.1),
        (RANDOM.integers(0, 100_000, 5000) / 100, 0.01),
        (RANDOM.integers(0, 400, 2000) * 5, 5),
        (RANDOM.integers(15_000, 25_000, 3000) * 60, 60),
    ],
    ids=["ratings", "cents", "fives", "minutes"],
)
def test_bins_of_rounded_numbers_hold_equally_many_values(values: np.ndarray, step: float) -> None:
    is_integer = step >= 1
    sample = np.unique(values).astype("int64" if is_integer else "float32")
    edges = np.array(choose_edges(sample[0], sample[-1], is_integer, [sample]))
    widths = np.diff(edges) / step
    assert 10 <= len(widths) <= 31
    assert widths == pytest.approx(np.full(len(widths), round(widths[0])), rel=1e-4)
    distance = (edges[:, None] - sample[None].astype(float)) / step
    assert np.abs(distance).min() > 0.4


def test_few_uneven_values_have_a_bin_each() -> None:
    edges = choose_edges(0, 1000, True, [np.array([0, 1, 37, 1000])])
    assert edges == (-0.5, 0.5, 19, 518.5, 1481.5)


def test_numbers_on_no_grid_have_bins_of_equal_width() -> None:
    sample = np.sort(RANDOM.normal(size=1000).astype("float32"))
    edges = choose_edges(-2, 2, False, [sample])
    assert len(edges) == 21
    assert (edges[0], edges[-1]) == (-2, 2)
