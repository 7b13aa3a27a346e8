"""`make bench-quality`: the comparison of a small table, and which matches are played."""

import fcntl
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchmarks.contest.records.code import describe_code
from benchmarks.contest.records.lines import append_line
from benchmarks.quality import main


def call(*words: str) -> Result:
    """Calls the command in this process, since its imports take seconds."""
    return CliRunner().invoke(main, words)


@pytest.mark.slow
@pytest.mark.long
def test_the_comparison_of_a_small_table_is_kept(tmp_path: Path) -> None:
    words = ["--quick", "--budget", "2", "--threads", "1"]
    words += ["--set", "training.epochs=4", "--set", "model.trees.iterations=50"]
    words += ["--directory", str(tmp_path)]
    done = call(*words)
    assert done.exit_code == 0, done.output
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
    assert again.exit_code == 0
    assert f"penguins, seed 0: kept, of commit {line['commit']}" in again.stdout
    assert (tmp_path / "matches.jsonl").read_text(encoding="utf-8") == text


def test_matches_of_another_plan_are_refused(tmp_path: Path) -> None:
    line = {"table": "wines", "seed": 1, "settings": [], "budget": 30.0, "threads": 1}
    (tmp_path / "kept.jsonl").write_text(json.dumps({**line, "commit": "abc12345"}) + "\n")
    done = call("--quick", "--directory", str(tmp_path), "--matches", str(tmp_path / "kept.jsonl"))
    assert done.exit_code == 2
    told = " ".join(done.stderr.split())
    assert "wines, seed 1: was played with --budget 30 --threads 1" in told
    assert "choose another --matches" in told


def keep(path: Path, *commits: str) -> None:
    """Writes a match of *penguins* for each seed from 0 on."""
    for seed, commit in enumerate(commits):
        append_line(
            path,
            {
                "table": "penguins",
                "seed": seed,
                "commit": commit,
                "date": "2026-01-01",
                "settings": [],
                "budget": None,
                "threads": 1,
                "task": "multiclass",
                "rows": {"test": 50},
                "seconds": {"ours": 2.0},
                "searches": {},
                "scores": {"ours": {"log_loss": 0.1}},
                "errors": {"log_loss": {"ours": {}}},
                "cut": [],
                "failed": {},
            },
        )


@pytest.mark.parametrize(
    ("words", "seeds"),
    [((), [0, 1, 2]), (("--seeds", "1"), [0]), (("--seed", "2", "--seed", "1"), [2, 1])],
)
def test_the_seeds_of_a_call_are_chosen(
    words: tuple[str, ...], seeds: list[int], tmp_path: Path
) -> None:
    keep(tmp_path / "matches.jsonl", "a", "b", "c")
    done = call("--table", "penguins", "--threads", "1", "--directory", str(tmp_path), *words)
    assert done.exit_code == 0, done.output
    told = re.findall(r"penguins, seed (\d): kept, of commit", done.stdout)
    assert list(map(int, told)) == seeds
    # The results of all kept matches, and not those of this call alone.
    assert "| 0, 1, 2 | a, b, c |" in (tmp_path / "matches.md").read_text(encoding="utf-8")


def test_matches_of_the_current_code_are_not_played_again(tmp_path: Path) -> None:
    keep(tmp_path / "matches.jsonl", describe_code())
    words = ("--quick", "--threads", "1", "--directory", str(tmp_path), "--again")
    assert "penguins, seed 0: kept" in call(*words).stdout


def test_matches_of_other_code_are_played_again_if_this_is_asked_for(tmp_path: Path) -> None:
    """Another process plays the match already: so this one leaves the match to the other."""
    keep(tmp_path / "matches.jsonl", "another")
    place = tmp_path / "penguins/0"
    place.mkdir(parents=True)
    with (place / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        words = ("--quick", "--threads", "1", "--directory", str(tmp_path))
        assert "penguins, seed 0: kept" in call(*words).stdout
        told = " ".join(call(*words, "--again").stdout.split())
    assert "penguins, seed 0: left out" in told
    assert "another process plays this match" in told
