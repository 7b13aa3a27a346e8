"""`make bench-trees` measures exported trees, and fails if they are slow or differ."""

import pytest

from benchmarks.trees.scoring import check, measure


def test_few_trees_are_measured_and_equal_to_lightgbm() -> None:
    figures = measure(trees=5, leaves=7, columns=6, rounds=2)
    assert figures["exported_ms"] > 0
    assert figures["largest_difference"] < 1e-5


@pytest.mark.parametrize(
    ("key", "value"),
    [("times_as_fast", 0.9), ("exported_one_row_ms", 3.1), ("largest_difference", 0.01)],
)
def test_each_figure_has_a_bound(key: str, value: float) -> None:
    good = {"times_as_fast": 2.0, "exported_one_row_ms": 0.5, "largest_difference": 1e-6}
    assert all(result.held for result in check(good))
    assert not all(result.held for result in check(good | {key: value}))
