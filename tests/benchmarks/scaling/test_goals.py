"""`make bench-scaling` splits a step, and fails if supervision costs too much."""

import pytest

from benchmarks.scaling import check_scaling, split_step


def test_what_a_step_neither_computes_nor_exchanges_it_waits() -> None:
    assert split_step(1000, 100_000, 4.0, 1.0) == (10.0, 4.0, 1.0, 5.0)
    assert split_step(1000, 100_000, 9.5, 1.0)[-1] == 0.0


@pytest.mark.parametrize(("cpu_seconds", "held"), [(1.7, True), (1.9, False)])
def test_the_supervisor_may_take_three_percent(cpu_seconds: float, held: bool) -> None:
    figures = {"supervisor": {"seconds": 60.0, "cpu seconds": cpu_seconds}}
    assert [check.held for check in check_scaling(figures)] == [held]
