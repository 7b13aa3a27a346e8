"""The table of metrics at the end of a run."""

from __future__ import annotations

import io

from rich.console import Console

from pipeline.config import Config
from pipeline.terminal.report import print_report
from pipeline.terminal.summary import Summary


def lines(metrics: dict[str, float], thresholds: list[dict], label: dict) -> dict[str, str]:
    """The words beside each metric."""
    config = Config.model_validate(
        {
            "name": "cuts",
            "data": {"path": "cuts.csv"},
            "label": {"column": "cut", **label},
            "features": {"x": {"kind": "numeric"}},
            "evaluation": {"thresholds": thresholds},
        }
    )
    console = Console(file=io.StringIO(), width=120)
    summary = Summary("cuts", "1", "log", metrics={"": metrics}, pushed="/serving/1", exit_code=0)
    print_report(summary, config, console)
    shown = [line.split(maxsplit=2) for line in console.file.getvalue().splitlines()]
    return {cells[0]: (cells[2:] or [""])[0].strip() for cells in shown if cells[0] in metrics}


def test_a_bound_stands_beside_what_it_bounds() -> None:
    metrics = {"accuracy": 0.7, "recall[fair]": 0.5, "recall[good]": 0.6, "recall[ideal]": 0.9}
    thresholds = [
        {"metric": "accuracy", "at_least": 0.6, "slice_by": ["x"]},
        {"metric": "accuracy", "at_least": 0.65},
        {"metric": "accuracy", "may_worsen_by": 0.01},
        {"metric": "recall", "at_least": 0.8, "class_name": "ideal"},
        {"metric": "recall", "at_most": 0.99, "class_name": "ideal"},
        {"metric": "recall", "may_worsen_by": 0.1},
    ]
    label = {"task": "multiclass", "classes": ["fair", "good", "ideal"]}
    assert lines(metrics, thresholds, label) == {
        "accuracy": "at least 0.65; may worsen by 0.01",
        "recall[fair]": "may worsen by 0.1",
        "recall[good]": "may worsen by 0.1",
        "recall[ideal]": "at least 0.8; at most 0.99; may worsen by 0.1",
    }


def test_of_two_classes_there_is_one_metric_each() -> None:
    label = {"task": "binary", "classes": ["no", "yes"]}
    words = lines({"recall": 0.5}, [{"metric": "recall", "at_least": 0.4}], label)
    assert words == {"recall": "at least 0.4"}
