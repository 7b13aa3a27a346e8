"""What several seeds of a table say, and on how many tables our model is ahead, level or behind."""

from typing import Any

import pytest

from benchmarks.contest.catalogue import TABLES
from benchmarks.contest.metrics import METRICS
from benchmarks.contest.results import Standing, TableResult, count_standings, group_tables

BY_NAME = {table.name: table for table in TABLES}


def line(seed: int, task: str = "regression", **losses: float) -> dict[str, Any]:
    """Returns a match in which ours has the loss 1, and each difference the error 0.1."""
    models = {"ours": 1.0, **losses}
    return {
        "table": "wines",
        "seed": seed,
        "commit": f"commit {seed}",
        "date": f"2026-01-0{seed + 1}",
        "task": task,
        "rows": {"train": 300, "eval": 100, "test": 50},
        "seconds": {"init": 1.0, "run": 60.0, **dict.fromkeys(models, 2.0 + seed)},
        "scores": {name: dict.fromkeys(METRICS[task], loss) for name, loss in models.items()},
        "errors": {name: {"ours": dict.fromkeys(losses, 0.1)} for name in METRICS[task]},
        "failed": {},
    }


def test_seeds_of_a_table_are_averaged() -> None:
    found = TableResult(BY_NAME["wines"], [line(0, forest=1.1), line(1, forest=1.3)])
    assert (found.task, found.rows) == ("regression", 450)
    assert found.commits == ["commit 0", "commit 1"]
    assert found.average("forest", "rmse") == pytest.approx(1.2)
    assert found.average_seconds("ours") == pytest.approx(2.5)
    difference = found.compare("rmse", "ours", "forest")
    assert difference is not None
    assert difference.mean == pytest.approx(0.2)
    assert difference.error == pytest.approx(((0.1**2 + 0.1**2) / 2) ** 0.5)


@pytest.mark.parametrize("missing", [0, 1])
def test_a_model_counts_with_the_seeds_that_it_has(missing: int) -> None:
    """Whether the first or a later seed lacks the model."""
    lines = [line(seed, **({} if seed == missing else {"AutoGluon": 0.8})) for seed in (0, 1)]
    found = TableResult(BY_NAME["wines"], lines)
    assert found.average("AutoGluon", "rmse") == pytest.approx(0.8)
    assert len(found.list_scores("AutoGluon")) == 1
    difference = found.compare("rmse", "ours", "AutoGluon")
    assert difference is not None
    assert (difference.mean, difference.error) == (pytest.approx(-0.2), pytest.approx(0.1))
    assert found.average_seconds("AutoGluon") == pytest.approx(3.0 - missing)


def test_a_failure_is_no_result() -> None:
    found = TableResult(BY_NAME["wines"], [{**line(0), "failed": {"forest": "killed"}}])
    assert found.count_failures("forest") == 1
    assert found.average("forest", "rmse") is None
    assert found.compare("rmse", "ours", "forest") is None


def test_tables_keep_the_order_of_the_catalogue() -> None:
    lines = [{**line(0), "table": name} for name in ("bikes", "wines", "bikes")]
    assert [(r.table.name, len(r.lines)) for r in group_tables(lines, TABLES)] == [
        ("wines", 1),
        ("bikes", 2),
    ]


def test_standings_count_each_purpose_alone() -> None:
    tables = {"penguins": 1.3, "counties": 1.05, "seals": 0.85, "zones": 0.6, "wines": 1.5}
    results = [
        TableResult(BY_NAME[name], [line(0, task, forest=loss)])
        for (name, loss), task in zip(
            tables.items(), ("regression", "multiclass", "multiclass", "regression", "binary")
        )
    ]
    standings = count_standings(results, ["forest", "AutoGluon"])
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
    # By the metric, the binary table counts its AUC, of which more is better.
    assert [(s.purpose, s.by, s.tables, s.ahead) for s in standings] == [
        ("reporting", "loss", 4, 2),
        ("reporting", "loss, rows alone", 4, 2),
        ("reporting", "metric", 4, 2),
        ("tuning", "loss", 1, 1),
        ("tuning", "loss, rows alone", 1, 1),
        ("tuning", "metric", 1, 0),
    ]


def test_a_model_that_a_table_lacks_is_counted_on_the_other_tables() -> None:
    results = [
        TableResult(BY_NAME["wines"], [line(0, forest=1.1, searched=1.1)]),
        TableResult(BY_NAME["bikes"], [line(0, forest=1.1)]),
    ]
    counts = {
        s.other: s.tables
        for s in count_standings(results, ["forest", "searched"])
        if s.by == "loss"
    }
    assert counts == {"forest": 2, "searched": 1}
