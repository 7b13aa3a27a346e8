"""The counts over tables: on how many our model is ahead, level or behind."""

from typing import Any

import numpy as np

from benchmarks.contest.catalogue import QUICK
from benchmarks.contest.match import Match
from benchmarks.contest.metrics import METRICS
from benchmarks.contest.results import Standing, count_standings, summarize


def result(purpose: str, task: str, **z: float) -> dict[str, Any]:
    """Returns the result of a table, with the z of ours against each other model."""
    pairs = {
        other: {
            "mean": value / 10,
            "z": value,
            "verdict": "ahead" if value > 2 else "behind" if value < -2 else "level",
        }
        for other, value in z.items()
    }
    metrics = {name: {"ours": pairs} for name in METRICS[task]}
    return {"purpose": purpose, "task": task, "better_than": metrics}


def test_standings_count_each_purpose_alone() -> None:
    results = [
        result("reporting", "regression", forest=3.0),
        result("reporting", "binary", forest=0.5),
        result("reporting", "multiclass", forest=-1.5),
        result("reporting", "multiclass", forest=-4.0),
        result("tuning", "binary", forest=5.0),
    ]
    standings = count_standings(results)
    assert standings[0] == Standing(
        purpose="reporting",
        by="loss",
        other="forest",
        tables=4,
        ahead=2,
        significantly_ahead=1,
        level=2,
        significantly_behind=1,
        behind=2,
        far_behind=2,
    )
    assert [(s.purpose, s.by, s.tables) for s in standings] == [
        ("reporting", "loss", 4),
        ("reporting", "metric", 4),
        ("tuning", "loss", 1),
        ("tuning", "metric", 1),
    ]


def test_a_model_that_a_table_lacks_is_counted_on_the_other_tables() -> None:
    results = [
        result("tuning", "binary", forest=1.0, searched=1.0),
        result("tuning", "binary", forest=1.0),
    ]
    counts = {s.other: s.tables for s in count_standings(results) if s.by == "loss"}
    assert counts == {"forest": 2, "searched": 1}


def test_a_table_has_a_difference_for_each_metric_and_each_pair() -> None:
    generator = np.random.default_rng(0)
    matches = []
    for _ in range(2):
        labels = generator.integers(2, size=50)
        names = ("ours", "our trees", "LightGBM")
        answers = {name: generator.uniform(0.1, 0.9, 50) for name in names}
        facts = {"task": "binary", "rows": {"train": 300, "test": 50}, "seconds": {"ours": 2.0}}
        matches.append(Match(facts, labels, answers))
    found = summarize(QUICK, matches)
    assert (found["rows"], found["seeds"], found["seconds"]) == (350, 2, {"ours": 2.0})
    assert set(found["scores"]["ours"]) == {"auc", "log_loss", "calibration_error"}
    for metric in ("auc", "log_loss"):
        pairs = found["better_than"][metric]
        assert {ours: set(others) for ours, others in pairs.items()} == {
            "ours": {"our trees", "LightGBM"},
            "our trees": {"ours", "LightGBM"},
        }
