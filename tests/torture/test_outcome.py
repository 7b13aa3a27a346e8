"""How a run with an accident may end."""

import pytest
from outcome import Round, judge_ending, list_right_codes
from plan import Plan

FULL = Plan(1, "one process", "empty", "full disk", "Trainer", 0.5)


def test_an_ending_that_says_nothing_of_the_full_disk_is_a_fault() -> None:
    result = Round(FULL, place="write artifacts/x", code=1)
    assert judge_ending(result, "Error: no space left on the device of /x") == []
    [fault] = judge_ending(result, "Error: something failed")
    assert "not named" in fault
    [fault] = judge_ending(Round(FULL, place="x", code=2), "Error: move it away")
    assert "ended with 2" in fault


def test_a_traceback_is_a_fault() -> None:
    plan = Plan(1, "one process", "empty", "signal", "Trainer", 0.5, "parent", "SIGTERM")
    text = "Traceback (most recent call last):\n  x\nKeyError: 3"
    [fault] = judge_ending(Round(plan, place="x", code=130), text)
    assert "KeyError" in fault


@pytest.mark.parametrize(
    ("target", "name", "struck", "codes"),
    [
        ("parent", "SIGSTOP", "parent", {0}),
        ("parent", "SIGTERM", "parent", {130, 0}),
        ("worker", "SIGKILL", "worker", {0}),
        ("writer", "SIGTERM", "chief", {0}),
    ],
)
def test_what_a_run_survives_must_end_with_0(target, name, struck, codes) -> None:
    plan = Plan(1, "two workers", "empty", "signal", "Trainer", 0.5, target, name)
    assert list_right_codes(Round(plan, place="x", struck=struck)) == codes
    assert list_right_codes(Round(plan)) == {0}, "the run had ended"
