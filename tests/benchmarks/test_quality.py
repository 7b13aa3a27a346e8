"""`make bench-quality`: the comparison of a small table, and which matches are played."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "benchmarks.quality"]


def call(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.slow
def test_the_comparison_of_a_small_table_is_kept(tmp_path: Path) -> None:
    words = ["--quick", "--budget", "2", "--threads", "1"]
    words += ["--set", "training.epochs=4", "--directory", str(tmp_path)]
    done = call(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "matches.jsonl").read_text(encoding="utf-8")
    [line] = map(json.loads, text.splitlines())
    assert (line["table"], line["seed"], line["budget"], line["threads"]) == ("penguins", 0, 2.0, 1)
    assert re.match(r"[0-9a-f]{8}|unknown", line["commit"])
    assert line["failed"] == {}
    scores = {name: each["log_loss"] for name, each in line["scores"].items()}
    assert {"ours", "our network", "our trees", "LightGBM", "HistGradientBoosting"} <= set(scores)
    assert all(0 < score < 1 for score in scores.values())
    assert line["errors"]["log_loss"]["ours"]["LightGBM"] > 0
    assert sum(part["weight"] for part in line["parts"]) == pytest.approx(1)
    assert line["searches"]["LightGBM searched"]["trials"] > 1
    assert {"init", "run", "ours", "LightGBM"} <= set(line["seconds"])
    place = tmp_path / "penguins/0"
    assert "Proposed by" in (place / "proposed.yaml").read_text(encoding="utf-8")
    assert not (place / "run").exists(), "the rows of a finished match take space"
    assert "| penguins | reporting | 344 |" in (tmp_path / "matches.md").read_text()
    again = call(*words)
    assert again.returncode == 0
    assert f"penguins, seed 0: kept, of commit {line['commit']}" in again.stdout
    assert (tmp_path / "matches.jsonl").read_text(encoding="utf-8") == text


def test_matches_of_another_plan_are_refused(tmp_path: Path) -> None:
    line = {"table": "wines", "seed": 1, "settings": [], "budget": 30.0, "threads": 1}
    (tmp_path / "kept.jsonl").write_text(json.dumps({**line, "commit": "abc12345"}) + "\n")
    done = call("--quick", "--directory", str(tmp_path), "--matches", str(tmp_path / "kept.jsonl"))
    assert done.returncode == 2
    told = " ".join(done.stderr.split())
    assert "wines, seed 1: was played with --budget 30 --threads 1" in told
    assert "choose another --matches" in told
