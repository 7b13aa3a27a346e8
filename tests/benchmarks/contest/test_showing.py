"""The printed tables."""

from typing import Any

from benchmarks.contest.results import Standing
from benchmarks.contest.showing import make_grids


def some_result() -> dict[str, Any]:
    pair = {"mean": 0.0123, "low": -0.004, "high": 0.02, "z": 1.26, "verdict": "level"}
    scores = {"auc": 0.81, "log_loss": 0.4, "calibration_error": 0.02}
    models = ("ours", "our trees", "LightGBM", "LightGBM searched")
    pairs = {
        "ours": dict.fromkeys(models[1:], pair),
        "our trees": {"LightGBM": pair | {"z": -2.0}, "ours": pair},
    }
    return {
        "table": "late",
        "purpose": "tuning",
        "task": "binary",
        "rows": 40919,
        "scores": dict.fromkeys(models, scores),
        "seconds": {"run": 90.2, **dict.fromkeys(models, 8.04)},
        "better_than": {"auc": pairs, "log_loss": pairs},
        "matches": [{"searches": {"LightGBM searched": {"trials": 7}}}],
    }


def test_each_metric_has_a_row_and_a_missing_model_an_empty_cell() -> None:
    standing = Standing("tuning", "loss", "LightGBM", 1, 1, 0, 1, 0, 0, 0)
    scores, comparisons, seconds, standings = make_grids([some_result()], [standing])
    assert [row[3] for row in scores.rows] == ["auc", "log_loss", "calibration_error"]
    assert scores.rows[0][4:] == ["0.81", "", "0.81", "0.81", "", "", "0.81", "", ""]
    assert comparisons.rows[0] == [
        "late", "tuning", "auc", "0.0123 (-0.004 to 0.02)", "level",
        "", "+1.3", "+1.3", "", "", "+1.3", "", "", "-2.0",
    ]  # fmt: skip
    assert seconds.rows == [["late", "90", "8.0", "", "8.0", "8.0", "", "", "8.0 (7)", "", ""]]
    assert standings.rows[0][2:] == ["LightGBM", "1", "1", "0", "1", "0", "0", "0"]
    for grid in (scores, comparisons, seconds, standings):
        assert {len(row) for row in grid.rows} == {len(grid.headings)}


def test_markdown_has_a_line_for_each_row() -> None:
    grid = make_grids([some_result()], [])[0]
    lines = grid.to_markdown().splitlines()
    assert lines[:2] == ["## Scores", ""]
    assert lines[2].startswith("| table | for | rows | metric | ours |")
    assert lines[4].startswith("| late | tuning | 40,919 | auc | 0.81 |")
    assert len(lines) == 4 + 3
