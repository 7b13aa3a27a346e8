"""A real round with a power cut amid a push, and the command that runs a range of seeds."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from outcome import Round
from plan import Plan
from rounds import run_round
from shim import build_shim, find_compiler
from support import ROOT
from yardstick import Bench

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")

FULL = Plan(1, "one process", "empty", "full disk", "Trainer", 0.5)


@pytest.mark.long
@pytest.mark.slow
def test_a_power_cut_amid_a_push_harms_nothing(tmp_path: Path) -> None:
    plan = Plan(0, "one process", "empty", "power cut", "Pusher", 0.6)
    result = run_round(plan, Bench(tmp_path, build_shim(tmp_path)))
    assert result.faults == []
    assert (result.code, result.next_code) == (-9, 0)
    assert result.place


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
