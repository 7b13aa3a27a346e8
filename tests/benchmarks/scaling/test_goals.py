"""`make bench-scaling` splits a step, and fails if two workers do not pay."""

from typing import Any

import pytest

from benchmarks.scaling.goals import GOALS, check_goals, check_supervisor, split_step
from benchmarks.scaling.measure import LINKED, TAXI


def make_training(size: int, one: float, two: float, computing: float) -> dict[str, Any]:
    return {
        "examples a second": {str(size): {"1": one, "2": two}},
        "computing": {str(size): computing},
        "exchanging": 1.0,
    }


def find_broken(name: str, training: dict[str, Any]) -> list[str]:
    return [
        check.what.partition(": ")[2] for check in check_goals({name: training}) if not check.held
    ]


def test_what_a_step_neither_computes_nor_exchanges_it_waits() -> None:
    step = split_step("1000", make_training(1000, 1.0, 100_000, 4.0))
    assert (step.whole, step.computing, step.exchanging, step.waiting) == (10.0, 4.0, 1.0, 5.0)
    assert step.over_parts == 2.0
    assert split_step("1000", make_training(1000, 1.0, 100_000, 9.5)).waiting == 0.0


@pytest.mark.parametrize("size", list(GOALS))
def test_each_batch_size_has_a_goal_of_its_own(size: int) -> None:
    two = 100_000.0
    computing = 1000 * size / two
    for missing in (0.99, 1.01):
        one = two / (GOALS[size] * missing)
        expected = [] if missing > 1 else ["speed of 2 workers / 1"]
        assert find_broken(TAXI, make_training(size, one, two, computing)) == expected


@pytest.mark.parametrize("name", [TAXI, LINKED])
def test_a_step_may_take_a_third_more_than_its_parts(name: str) -> None:
    # A step of 10 ms: its parts are computing and an exchange of 1 ms.
    for computing, broken in ((7.0, []), (6.6, ["step / (computing + bare exchange)"])):
        assert find_broken(name, make_training(1024, 1.0, 102_400, computing)) == broken


def test_a_slow_link_excuses_the_ratio() -> None:
    training = make_training(1024, 1e6, 102_400, 9.0)
    assert find_broken(LINKED, training) == []
    assert find_broken(TAXI, training) == ["speed of 2 workers / 1"]


@pytest.mark.parametrize(("cpu_seconds", "held"), [(1.7, True), (1.9, False)])
def test_the_supervisor_may_take_three_percent(cpu_seconds: float, held: bool) -> None:
    assert check_supervisor({"seconds": 60.0, "cpu seconds": cpu_seconds}).held == held
