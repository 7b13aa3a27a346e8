"""What the page says in words and numbers that no single field of the report holds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from components.data_figures.figures import ColumnFigures, DataFigures
from components.model_figures.figures import (
    Estimate,
    MetricFigures,
    ModelFigures,
    ThresholdRow,
    WrongRow,
)
from pipeline.core.text import counted
from pipeline.report.charts.distribution import milliseconds
from pipeline.report.content import ComponentRow, MetricRow, QualityPart, Report
from pipeline.report.words import count, duration, interval, number, signed

_TONES = {0: "good", 4: "warn", 6: "good", 7: "warn", 130: "off", None: "off"}
_ROWS = "examples"
"""The Evaluator's results hold the number of rows among the metrics."""
_STOPPED = ("failed", "interrupted")


@dataclass(frozen=True)
class Fact:
    """A number at the top of the page."""

    label: str
    value: str
    detail: str = ""


def tone(report: Report) -> str:
    """Returns the class of the verdict's colour: good, warn, bad, or off."""
    return _TONES.get(report.verdict.exit_code, "bad")


def key_facts(report: Report) -> list[Fact]:
    """Returns the numbers that a reader wants first."""
    facts = []
    figures = report.data.figures
    if figures is not None:
        splits = ", ".join(f"{count(rows)} {split}" for split, rows in figures.rows.items())
        facts.append(Fact("Rows", count(sum(figures.rows.values())), splits))
    facts += _metric_facts(report.quality) if report.quality else []
    stopping = sum(finding.severity == "stop" for finding in report.data.findings)
    if report.data.checked_against is not None:
        total = len(report.data.findings)
        detail = f"{count(stopping)} of them stop a run" if total else ""
        facts.append(Fact("Findings in the data", count(total), detail))
    if report.seconds is not None:
        facts.append(Fact("Time", duration(report.seconds), cached_words(report.components)))
    return facts


def _metric_facts(quality: QualityPart) -> list[Fact]:
    name = main_metric(quality)
    if name is None:
        return []
    row = next((row for row in quality.metrics if row.name == name), None)
    figure = by_name(quality.figures.metrics).get(name) if quality.figures else None
    bounds = interval(figure.candidate if figure else None)
    value = row.value if row else figure.candidate.value if figure else None
    facts = [Fact(name, number(value), f"95 %: {bounds}" if bounds else "")]
    if figure is not None and figure.difference is not None:
        detail = difference_words(figure.difference)
        facts.append(Fact("Against served", signed(figure.difference.value), detail))
    return facts


def by_name(metrics: Sequence[MetricFigures]) -> dict[str, MetricFigures]:
    """Returns the figures of each metric by its name."""
    return {metric.name: metric for metric in metrics}


def main_metric(quality: QualityPart) -> str | None:
    """Returns the first metric with a threshold, else the first one."""
    bound = [row.name for row in quality.metrics if row.bound]
    names = bound + [row.name for row in quality.metrics if row.name != _ROWS]
    if not names and quality.figures:
        names = [metric.name for metric in quality.figures.metrics]
    return names[0] if names else None


def slice_metrics(figures: ModelFigures) -> list[str]:
    """Returns the metrics that any slice has."""
    names = dict.fromkeys(name for s in figures.slices for name in s.metrics)
    return [name for name in names if name != _ROWS]


def slice_metric(quality: QualityPart, figures: ModelFigures) -> str | None:
    """Returns the metric by which the slices are compared: one that has a threshold, if any."""
    known = slice_metrics(figures)
    wanted = [row.name for row in quality.metrics if row.bound and row.name in known]
    return (wanted + known)[0] if known else None


def difference_words(difference: Estimate) -> str:
    """Returns whether a difference is more than chance."""
    low, high = difference.low, difference.high
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return ""
    return "chance explains it" if low <= 0 <= high else "more than chance"


def metric_rows(
    quality: QualityPart, of_one_class: bool
) -> list[tuple[MetricRow, MetricFigures | None]]:
    """Returns each metric with its figures.

    Args:
      of_one_class: the metrics of single classes without a threshold, or all others.
    """
    figures = by_name(quality.figures.metrics) if quality.figures else {}
    rows = [row for row in quality.metrics if row.name != _ROWS]
    known = {row.name for row in rows}
    rows += [
        MetricRow(f.name, f.candidate.value, f.served.value if f.served else None, "", None)
        for f in figures.values()
        if f.name not in known
    ]
    chosen = [row for row in rows if ("[" in row.name and not row.bound) == of_one_class]
    return [(row, figures.get(row.name)) for row in chosen]


def cached_words(components: Sequence[ComponentRow]) -> str:
    """Returns how many components the cache saved."""
    cached = sum(component.state == "cached" for component in components)
    return f"{cached} of {counted(len(components), 'component')} from the cache"


def slowest(components: Sequence[ComponentRow]) -> list[ComponentRow]:
    """Returns the eight components that took most of the run's time, the slowest first."""
    timed = [c for c in components if c.seconds is not None and c.state != "cached"]
    return sorted(timed, key=lambda c: -(c.seconds or 0))[:8]


def absence(report: Report, part: str) -> str:
    """Returns why the page has nothing about a part, such as `the training`."""
    stopped = next((c for c in report.components if c.state in _STOPPED), None)
    if report.verdict.exit_code == 3:
        return f"The data gate stopped the run before {part}."
    if stopped is not None and stopped.state == "failed":
        return f"{stopped.name} failed before {part}."
    if report.verdict.exit_code in (130, None):
        return f"An interruption ended the run before {part}."
    return f"The run ended before {part}."


def kind_words(column: ColumnFigures) -> str:
    """Returns what the run uses the column for."""
    role = "" if column.role == "feature" else "not used" if column.role == "other" else column.role
    return ", ".join(filter(None, (column.kind, role)))


def milliseconds_of(figures: DataFigures | None, name: str) -> int | None:
    """Returns the milliseconds of a column's unit if the column counts time since 1970."""
    columns = figures.columns if figures is not None else ()
    return next((milliseconds(column) for column in columns if column.name == name), None)


def shares(rows: Mapping[str, int]) -> dict[str, float]:
    """Returns each split's share of all rows."""
    total = sum(rows.values()) or 1
    return {split: number_ / total for split, number_ in rows.items()}


def cell_columns(rows: Sequence[WrongRow]) -> list[str]:
    """Returns the columns of which any of the rows has a cell."""
    return list(dict.fromkeys(column for row in rows for column in row.cells))


def ratio(part: int, whole: int) -> float | None:
    """Returns a share, or None of nothing."""
    return part / whole if whole else None


def half(thresholds: Sequence[ThresholdRow]) -> ThresholdRow | None:
    """Returns the confusion matrix at the threshold 0.5."""
    return next((row for row in thresholds if row.threshold == 0.5), None)


def class_name(figures: ModelFigures, number_: int) -> str:
    """Returns the name of the negative class (0) or of the positive one (1)."""
    names = figures.classes
    return names[number_] if len(names) == 2 else ("negative", "positive")[number_]
