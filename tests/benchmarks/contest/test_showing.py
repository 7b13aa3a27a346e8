"""The printed tables."""

from typing import Any

from benchmarks.contest.catalogue import TABLES
from benchmarks.contest.results import TableResult
from benchmarks.contest.showing import list_failures, make_grids

LATE = next(table for table in TABLES if table.name == "late")


def some_line(seed: int, **others: Any) -> dict[str, Any]:
    models = ("ours", "our trees", "LightGBM", "LightGBM searched")
    scores = {"auc": 0.8, "log_loss": 0.4, "calibration_error": 0.02}
    pairs = {
        "ours": dict.fromkeys(models[1:], 0.01),
        "our trees": {"LightGBM": 0.01, "ours": 0.01},
    }
    line = {
        "table": "late",
        "seed": seed,
        "commit": f"abc0000{seed}",
        "date": "2026-01-01",
        "task": "binary",
        "rows": {"train": 30_000, "eval": 5_000, "test": 5_919},
        "seconds": {"init": 9.2, "run": 90.2, **dict.fromkeys(models, 8.04)},
        "scores": {**dict.fromkeys(models, scores), "ours": {**scores, "auc": 0.8126}},
        "errors": {"auc": pairs, "log_loss": pairs},
        "searches": {"LightGBM searched": {"trials": 7, "settings": {}}},
        "cut": [],
        "failed": {},
    }
    return line | others


def test_each_metric_has_a_row_and_a_missing_model_a_dash() -> None:
    grids = make_grids([TableResult(LATE, [some_line(0), some_line(2)])])
    scores, comparisons, seconds, standings = grids
    start = ["late", "tuning", "40,919", "0, 2", "abc00000, abc00002"]
    assert scores.rows[0] == [
        *start, "auc", "0.8126", "-", "0.8", "0.8", "-", "-", "0.8", "-", "-",
    ]  # fmt: skip
    assert [row[5] for row in scores.rows] == ["auc", "log_loss", "calibration_error"]
    assert comparisons.rows[0] == [
        "late", "tuning", "auc", "0.0126 (-0.001259 to 0.02646)", "level",
        "-", "+1.8", "+1.8", "-", "-", "+1.8", "-", "-", "+0.0",
    ]  # fmt: skip
    assert seconds.rows == [
        ["late", "9", "90", "8.0", "-", "8.0", "8.0", "-", "-", "8.0 (7, 7)", "-", "-"]
    ]
    assert standings.rows[1][2:] == ["LightGBM", "1", "0", "0", "1", "0", "0", "0"]
    for grid in grids:
        assert {len(row) for row in grid.rows} == {len(grid.headings)}


def test_a_failed_a_cut_and_a_partly_missing_model_are_told() -> None:
    scores = {"auc": 0.7, "log_loss": 0.5, "calibration_error": 0.02}
    first = some_line(0, failed={"AutoGluon": "no model", "CatBoost searched": "killed"})
    second = some_line(1, cut=["LightGBM"], failed={"AutoGluon": "no model"})
    second["scores"] = {**second["scores"], "CatBoost searched": scores, "our network": scores}
    result = TableResult(LATE, [first, second])
    shown, _, seconds, _ = make_grids([result])
    by_name = dict(zip(shown.headings, shown.rows[0]))
    assert by_name["AutoGluon"] == "failed"
    assert by_name["CatBoost searched"] == "0.7 (1 of 2 seeds, failed)"
    assert by_name["our network"] == "0.7 (1 of 2 seeds)"
    assert dict(zip(seconds.headings, seconds.rows[0]))["LightGBM"] == "8.0 cut"
    assert list_failures([result])[0] == "AutoGluon failed on late, seed 0: no model"
    assert len(list_failures([result])) == 3


def test_markdown_has_a_line_for_each_row() -> None:
    grid = make_grids([TableResult(LATE, [some_line(0)])])[0]
    lines = grid.to_markdown().splitlines()
    assert lines[:2] == ["### Scores", ""]
    assert lines[2].startswith("| table | for | rows | seeds | commit | metric | ours |")
    assert lines[4].startswith("| late | tuning | 40,919 | 0 | abc00000 | auc | 0.8126 |")
    assert len(lines) == 4 + 3
