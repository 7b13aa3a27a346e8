"""`make bench-quality`: the comparison of a small table."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_comparison_of_a_small_table_is_kept(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.quality", "--quick", "--budget", "2"]
    command += ["--set", "training.epochs=4", "--directory", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    [result] = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["tables"]
    names = {"ours", "our network", "our trees"}
    assert names | {"LightGBM", "HistGradientBoosting", "LightGBM searched"} <= set(
        result["scores"]
    )
    scores = {name: each["log_loss"] for name, each in result["scores"].items()}
    assert all(0 < score < 1 for score in scores.values())
    better = result["better_than"]["log_loss"]["ours"]["LightGBM"]
    assert better["mean"] == pytest.approx(scores["LightGBM"] - scores["ours"])
    [match] = result["matches"]
    assert sum(part["weight"] for part in match["parts"]) == pytest.approx(1)
    assert match["searches"]["LightGBM searched"]["trials"] > 1
    proposed = (tmp_path / "penguins/proposed.yaml").read_text(encoding="utf-8")
    assert "Proposed by" in proposed
    facts = tmp_path / "penguins/0.json"
    played = facts.stat().st_mtime_ns
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert again.stdout == done.stdout
    assert facts.stat().st_mtime_ns == played
    other = subprocess.run([*command, "--set", "training.seed=5"], cwd=ROOT, capture_output=True)
    assert other.returncode == 2
    assert b"choose another --directory" in other.stderr
