"""The table of metrics at the end of a run: of many classes, only the worst."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.config import METRICS, Config
from pipeline.config.sections.metrics import metric_name
from pipeline.core.text import printable
from pipeline.terminal.formatting import format_metric
from pipeline.terminal.summary import Summary

_NARROWEST = 60
"""Columns of the terminal; below, the table has no column of thresholds."""
_MOST_CLASSES = 10
"""Classes that the table shows. Each has three metrics: 40 classes would take 120 lines."""


def print_metrics(summary: Summary, config: Config, console: Console) -> None:
    """Prints the metrics on the whole split, with those of the served model and the thresholds."""
    table = _make_table(summary, config)
    if console.width < _NARROWEST:
        # The thresholds: a sentence below names each one that was missed.
        table.columns.pop()
    console.print(table)
    if _find_better_classes(summary.metrics.get("", {}), config):
        console.print(
            f"Of {len(config.label.classes)} classes, the {_MOST_CLASSES} with the lowest F1 are "
            "shown. The report shows all of them.",
            style="dim",
            soft_wrap=True,
        )


def sort_metrics(names: Iterable[str]) -> list[str]:
    """Returns the metrics in the order in which people see them."""
    return sorted(names, key=_position)


def _make_table(summary: Summary, config: Config) -> Table:
    overall = summary.metrics.get("", {})
    bounds = config.evaluation.bounds_by_metric(config.label.classes)
    hidden = {
        metric_name(metric, class_name)
        for class_name in _find_better_classes(overall, config)
        for metric in METRICS
    }
    table = Table("metric", "value", "served", "threshold", box=None)
    for name in sort_metrics(overall):
        if name in hidden:
            continue
        served = summary.baseline_metrics.get(name)
        value = format_metric(overall[name])
        table.add_row(Text(printable(name)), value, format_metric(served), bounds.get(name, ""))
    return table


def _find_better_classes(overall: Mapping[str, float], config: Config) -> list[str]:
    """Returns the classes that are not among the worst by F1."""
    by_class = {c: overall.get(metric_name("f1", c)) for c in config.label.classes}
    f1 = {c: value for c, value in by_class.items() if value is not None}
    # A class without rows and predictions has no F1: it is neither good nor bad.
    ranked = sorted(f1, key=lambda c: math.inf if math.isnan(f1[c]) else f1[c])
    return ranked[_MOST_CLASSES:]


def _position(name: str) -> int:
    """Returns the place of a metric in the table; metrics that METRICS does not list come first."""
    without_class = name.partition("[")[0]
    order = list(METRICS)
    return order.index(without_class) if without_class in order else -1
