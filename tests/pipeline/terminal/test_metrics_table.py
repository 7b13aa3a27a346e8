"""The table of metrics at the end of a run."""

from __future__ import annotations

import io
import math

from rich.console import Console

from pipeline.config import Config
from pipeline.terminal.metrics_table import print_metrics
from pipeline.terminal.summary import Summary


def show(metrics: dict[str, float], thresholds: list[dict], classes: list[str]) -> list[str]:
    """The printed lines."""
    config = Config.model_validate(
        {
            "name": "cuts",
            "data": {"path": "cuts.csv"},
            "label": {
                "column": "cut",
                "task": "binary" if len(classes) == 2 else "multiclass",
                "classes": classes,
            },
            "features": {"x": {"kind": "numeric"}},
            "evaluation": {"thresholds": thresholds},
        }
    )
    console = Console(file=io.StringIO(), width=120)
    print_metrics(Summary("cuts", "1", "log", metrics={"": metrics}), config, console)
    return console.file.getvalue().splitlines()


def words_beside(metrics: dict, thresholds: list[dict], classes: list[str]) -> dict[str, str]:
    shown = [line.split(maxsplit=2) for line in show(metrics, thresholds, classes)]
    return {cells[0]: (cells[2:] or [""])[0].strip() for cells in shown if cells[0] in metrics}


def test_each_threshold_stands_beside_its_metric() -> None:
    metrics = {"accuracy": 0.7, "recall[fair]": 0.5, "recall[good]": 0.6, "recall[ideal]": 0.9}
    thresholds = [
        {"metric": "accuracy", "at_least": 0.6, "slice_by": ["x"]},
        {"metric": "accuracy", "at_least": 0.65},
        {"metric": "accuracy", "may_worsen_by": 0.01},
        {"metric": "recall", "at_least": 0.8, "class_name": "ideal"},
        {"metric": "recall", "at_most": 0.99, "class_name": "ideal"},
        {"metric": "recall", "may_worsen_by": 0.1},
    ]
    assert words_beside(metrics, thresholds, ["fair", "good", "ideal"]) == {
        "accuracy": "at least 0.65; may worsen by 0.01",
        "recall[fair]": "may worsen by 0.1",
        "recall[good]": "may worsen by 0.1",
        "recall[ideal]": "at least 0.8; at most 0.99; may worsen by 0.1",
    }


def test_two_classes_have_one_recall() -> None:
    words = words_beside({"recall": 0.5}, [{"metric": "recall", "at_least": 0.4}], ["no", "yes"])
    assert words == {"recall": "at least 0.4"}


def test_of_many_classes_the_ten_with_the_lowest_f1_are_shown() -> None:
    classes = [f"c{i}" for i in range(40)]
    f1 = {c: (40 - i) / 40 for i, c in enumerate(classes)} | {"c39": math.nan}
    metrics = {"macro_f1": 0.5}
    for name in ("precision", "recall", "f1"):
        metrics |= {f"{name}[{c}]": value for c, value in f1.items()}
    lines = show(metrics, [{"metric": "macro_f1", "at_least": 0.4}], classes)
    shown = {name for line in lines if (name := line.split()[0]).startswith("f1[")}
    assert shown == {f"f1[c{i}]" for i in range(29, 39)}
    assert len([line for line in lines if "[" in line]) == 30
    assert "Of 40 classes, the 10 with the lowest F1 are shown" in lines[-1]
