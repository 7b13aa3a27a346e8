"""`make bench` on a small table: results are equal, and no ratio is far below its target."""

import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


def test_a_small_table_is_measured_with_both_pipelines(tmp_path: Path) -> None:
    done = subprocess.run(
        ["make", "bench", "ROWS=50000", f"ARGUMENTS=--repeats 1 --directory {tmp_path}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert results["held"] is True
    rows = {row["what"]: row for row in results["rows"]}
    for component in ("ExampleGen", "StatisticsGen", "Transform", "Trainer", "Evaluator"):
        assert rows[component]["stock"] > 0.1
        assert 0 < rows[component]["ours"] < rows["whole DAG"]["ours"]
    assert rows["peak memory"]["ours"] > 300
    checks = {check["what"]: check for check in results["checks"]}
    assert (
        sum(int(checks[f"rows of {s}"]["found"].split()[0]) for s in ("train", "eval", "test"))
        == 50000
    )
    for equality in ("statistics of train", "metrics of one model by both Evaluators"):
        assert checks[equality]["held"]
    assert (tmp_path / "results.svg").stat().st_size > 1000
    assert "stock/ours" in done.stdout
