"""Finished matches add up, in whichever order and process they are played."""

import json
import multiprocessing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.contest.catalogue import QUICK
from benchmarks.contest.kept import Result
from benchmarks.contest.match import Match, Plan
from benchmarks.contest.records.lines import (
    OtherPlanError,
    append_line,
    check_plan,
    make_line,
    read_lines,
)
from benchmarks.contest.results import TableResult

PLAN = Plan((), None, 2, "abc12345")


def some_match(seed: int) -> Match:
    generator = np.random.default_rng(seed)
    labels = generator.integers(2, size=200)
    results = {
        name: Result(
            np.clip(labels + noise * generator.normal(size=200), 0.05, 0.95), {"seconds": noise}
        )
        for name, noise in (("ours", 0.5), ("our trees", 0.6), ("LightGBM", 0.9))
    }
    results["LightGBM"].facts["is_cut"] = True
    results["searched"] = Result(
        results["ours"].answers, {"seconds": 5.0, "trials": 3, "settings": {"depth": 4}}
    )
    results["AutoGluon"] = Result(None, failure="no model")
    facts = {"task": "binary", "rows": {"test": 200}, "seconds": {"init": 2.0, "run": 50.0}}
    return Match(facts, labels, results)


def test_a_line_holds_what_seeds_are_combined_from() -> None:
    lines = [json.loads(json.dumps(make_line(QUICK, s, PLAN, some_match(s)))) for s in (0, 1, 2)]
    line = lines[0]
    assert (line["table"], line["seed"], line["commit"]) == ("penguins", 0, "abc12345")
    assert (line["settings"], line["budget"], line["threads"]) == ([], None, 2)
    assert line["seconds"]["LightGBM"] == 0.9
    assert line["cut"] == ["LightGBM"]
    assert line["failed"] == {"AutoGluon": "no model"}
    assert line["searches"] == {"searched": {"trials": 3, "settings": {"depth": 4}}}
    assert set(line["scores"]) == {"ours", "our trees", "LightGBM", "searched"}
    assert set(line["errors"]["auc"]) == {"ours", "our trees"}
    found = TableResult(QUICK, lines).compare("log_loss", "ours", "LightGBM")
    assert found is not None
    assert found.verdict == "ahead"
    same = TableResult(QUICK, lines).compare("log_loss", "ours", "searched")
    assert same is not None
    assert same.z == 0


def test_a_line_is_compact() -> None:
    """A hundred matches are to be kept in the repository."""
    assert len(json.dumps(make_line(QUICK, 0, PLAN, some_match(0)))) < 5000


def test_the_newest_line_of_a_match_counts_and_a_torn_one_does_not(tmp_path: Path) -> None:
    path = tmp_path / "new/matches.jsonl"
    assert read_lines(path) == []
    append_line(path, {"table": "wines", "seed": 1, "commit": "old"})
    append_line(path, {"table": "bikes", "seed": 0, "commit": "old"})
    with path.open("a") as file:
        file.write('{"table": "wines", "se')
    append_line(path, {"table": "wines", "seed": 1, "commit": "new"})
    found = [(line["table"], line["seed"], line["commit"]) for line in read_lines(path)]
    assert found == [("bikes", 0, "old"), ("wines", 1, "new")]


def append_many(path: Path, table: str) -> None:
    for seed in range(50):
        append_line(path, {"table": table, "seed": seed, "note": "x" * 5000})


def test_processes_append_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    # A new interpreter might not find this module: pytest chooses its name.
    fork = multiprocessing.get_context("fork")
    workers = [fork.Process(target=append_many, args=(path, name)) for name in ("a", "b", "c")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert len(read_lines(path)) == 150


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"settings": ["training.epochs=2"]}, "--set training.epochs=2 --threads 2"),
        ({"budget": 30.0}, "--budget 30 --threads 2"),
        ({"threads": 1}, "--threads 1"),
    ],
)
def test_matches_of_another_plan_are_refused(changed: dict[str, Any], told: str) -> None:
    line = {"table": "wines", "seed": 1, "settings": [], "budget": None, "threads": 2}
    check_plan([{**line, "commit": "another"}], PLAN)
    with pytest.raises(OtherPlanError, match=f"wines, seed 1: was played with {told}"):
        check_plan([line, {**line, **changed}], PLAN)
