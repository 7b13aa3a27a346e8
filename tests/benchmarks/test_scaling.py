"""`make bench-scaling` measures a small table, and fails if supervision costs too much."""

import json
import subprocess
from pathlib import Path

import pytest

from benchmarks.scaling import check_scaling, split_step

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_small_table_is_fitted_with_one_and_with_two_workers(tmp_path: Path) -> None:
    done = subprocess.run(
        ["make", "bench-scaling", "ROWS=20000", f"ARGUMENTS=--directory {tmp_path}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((tmp_path / "scaling.json").read_text(encoding="utf-8"))
    assert results["held"] is True
    speeds = results["figures"]["examples a second"]["1024"]
    assert sorted(speeds) == ["1", "2"]
    assert min(speeds.values()) > 100
    assert results["figures"]["weights"] > 1000
    assert 0 < results["figures"]["exchanging"] < 1000
    assert 0 < results["figures"]["computing"]["1024"] < 1000
    assert results["figures"]["supervisor"]["seconds"] > 10
    assert "2 workers" in done.stdout
    assert "waiting" in done.stdout


def test_what_a_step_neither_computes_nor_exchanges_it_waits() -> None:
    assert split_step(1000, 100_000, 4.0, 1.0) == (10.0, 4.0, 1.0, 5.0)
    assert split_step(1000, 100_000, 9.5, 1.0)[-1] == 0.0


@pytest.mark.parametrize(("cpu_seconds", "held"), [(1.7, True), (1.9, False)])
def test_the_supervisor_may_take_three_percent(cpu_seconds: float, held: bool) -> None:
    figures = {"supervisor": {"seconds": 60.0, "cpu seconds": cpu_seconds}}
    assert [check.held for check in check_scaling(figures)] == [held]
