"""The checks of the serving benchmark."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.serving.__main__ import check


def measured(rows: float, p99: float = 1.0, failed: int = 0) -> dict[str, Any]:
    return {"rows_per_second": rows, "p99": p99, "failed": {"timeout": failed} if failed else {}}


def make_figures(**changed: Any) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "floor": {"1": measured(1000), "64": measured(60_000)},
        "ours": {
            "batch 1, 1 clients": measured(800, p99=2.9),
            "batch 1, 64 clients": measured(5000),
            "batch 64, 1 clients": measured(50_000),
        },
        "naive": {"batch 1, 64 clients": measured(400)},
        "memory": {"requests": 100, "megabytes": [500, 505], "failed": {}},
        "switch": {"requests": 10, "failed": {}},
    }
    return figures | changed


def test_all_goals_are_held_and_two_of_them_only_checked_on_an_idle_machine() -> None:
    assert [result.held for result in check(make_figures(), idle=True)] == [True] * 5
    assert len(check(make_figures(), idle=False)) == 3


@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"floor": {"1": measured(1000), "64": measured(70_000)}}, 0),
        ({"memory": {"requests": 100, "megabytes": [500, 505], "failed": {"reset": 1}}}, 1),
        ({"switch": {"requests": 10, "failed": {"503": 2}}}, 1),
        ({"memory": {"requests": 100, "megabytes": [500, 530], "failed": {}}}, 2),
        ({"floor": {"1": measured(1000, p99=0.9), "64": measured(60_000)}}, 3),
        ({"naive": {"batch 1, 64 clients": measured(501)}}, 4),
    ],
)
def test_each_missed_goal_is_told(changed: dict[str, Any], place: int) -> None:
    held = [result.held for result in check(make_figures(**changed), idle=True)]
    assert held == [number != place for number in range(5)]
