"""Two real rounds: a power cut amid a push, and the command that runs a range of seeds."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from plan import Plan
from rounds import Round, _expected_codes, _judge_ending, run_round
from shim import build_shim
from support import ROOT
from yardstick import Bench

FULL = Plan(1, "one process", "empty", "full disk", "Trainer", 0.5)


@pytest.mark.slow
def test_a_power_cut_amid_a_push_harms_nothing(tmp_path: Path) -> None:
    plan = Plan(0, "one process", "empty", "power cut", "Pusher", 0.6)
    result = run_round(plan, Bench(tmp_path, build_shim(tmp_path)))
    assert result.faults == []
    assert (result.code, result.next_code) == (-9, 0)
    assert result.place


def test_an_ending_that_says_nothing_of_the_full_disk_is_a_fault() -> None:
    result = Round(FULL, place="write artifacts/x", code=1)
    assert _judge_ending(FULL, result, "Error: no space left on the device of /x") == []
    [fault] = _judge_ending(FULL, result, "Error: something failed")
    assert "not named" in fault
    [fault] = _judge_ending(FULL, Round(FULL, place="x", code=2), "Error: move it away")
    assert "ended with 2" in fault


def test_a_traceback_is_a_fault() -> None:
    plan = Plan(1, "one process", "empty", "signal", "Trainer", 0.5, "parent", "SIGTERM")
    text = "Traceback (most recent call last):\n  x\nKeyError: 3"
    [fault] = _judge_ending(plan, Round(plan, place="x", code=130), text)
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
    assert _expected_codes(plan, Round(plan, place="x", struck=struck)) == codes
    assert _expected_codes(plan, Round(plan)) == {0}, "the run had ended"


def test_a_range_that_is_done_is_not_run_again(tmp_path: Path) -> None:
    results = tmp_path / "rounds.jsonl"
    lines = [json.dumps(Round(FULL, code=0, next_code=0).to_json())]
    results.write_text("\n".join(lines) + "\n")
    ended = subprocess.run(
        [sys.executable, ROOT / "tests/torture", "--seeds", "1", "--directory", tmp_path],
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'tests/e2e'}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert "1 rounds, 0 with faults" in ended.stdout
    assert "| full disk | 1 |" in (tmp_path / "rounds.md").read_text()
