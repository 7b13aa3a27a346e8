"""The comparison with another commit takes the least of several runs, and checks its targets."""

import pytest

from benchmarks.everyday import check_everyday, take_best

BASE = {
    "start to the first component": 6.0,
    "Transform": 6.0,
    "second run": 20.0,
    "peak memory, GB": 1.0,
    "AUC": 0.9,
}
GOOD = {
    "start to the first component": 3.0,
    "Transform": 3.0,
    "second run": 12.0,
    "peak memory, GB": 1.1,
    "AUC": 0.905,
}


def test_the_least_of_each_figure_counts() -> None:
    assert take_best([{"a": 1.0, "b": 4.0}, {"a": 2.0, "b": 3.0}]) == {"a": 1.0, "b": 3.0}


def test_a_commit_at_its_targets_passes() -> None:
    assert all(check.held for check in check_everyday(BASE, GOOD))


@pytest.mark.parametrize("name", GOOD)
def test_each_figure_above_its_target_fails(name: str) -> None:
    worse = {**GOOD, name: GOOD[name] * 1.02}
    assert [check.held for check in check_everyday(BASE, worse)].count(False) == 1
