"""What the page says in words and numbers that no single field of the report holds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from components.data_figures.figures import ColumnFigures, DataFigures, Distance
from components.model_figures.figures import (
    Dependence,
    Estimate,
    MetricFigures,
    ModelFigures,
    ThresholdRow,
    WrongRow,
)
from components.statistics_view.distributions.wording import (
    MEANINGS,
    MEASURE_NAMES,
    describe_distance,
    format_distance,
)
from pipeline.core.contracts import Node
from pipeline.core.events import ExportResult, Finding
from pipeline.core.statuses import Status, Tone
from pipeline.core.text import counted
from pipeline.report.content import Blend, ComponentRow, DataPart, MetricRow, QualityPart, Report
from pipeline.report.words import count, digits_of, duration, fixed, interval, number, share, signed

_ROWS = "examples"
"""The Evaluator's results hold the number of rows among the metrics."""
_MISSING = "(missing)"
"""A cell without a value, as ModelFigures writes it."""
_STOPPED = ("failed", "interrupted")
_CLEAR_AUC = 0.55
"""An interval above it is clearly above chance; closer to 0.5, another threshold gains little."""
MOST_OPEN = 8
"""Columns with findings that the page opens: more would bury the parts below."""


@dataclass(frozen=True)
class Fact:
    """A number at the top of the page."""

    label: str
    value: str
    detail: str = ""


def tone(report: Report) -> Tone:
    """Returns the class of the verdict's colour."""
    return Status(report.verdict.status).tone


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
        stops = f"{count(stopping)} {'stops' if stopping == 1 else 'stop'} the run"
        detail = "" if not total else stops if stopping else "none stops the run"
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
    digits = digits_of(figure.candidate, figure.difference) if figure else None
    bounds = interval(figure.candidate if figure else None, digits)
    value = row.value if row else figure.candidate.value if figure else None
    facts = [Fact(name, fixed(value, digits), f"95 %: {bounds}" if bounds else "")]
    if figure is not None and figure.difference is not None:
        detail = difference_words(figure.difference)
        facts.append(Fact("Against served", signed(figure.difference.value, digits), detail))
    return facts


def export_metrics(quality: QualityPart) -> list[str]:
    """Returns the metrics that the table of exports shows: those with a threshold."""
    known = {name for export in quality.exports for name in export.metrics}
    bound = [row.name for row in quality.metrics if row.bound and row.name in known]
    return bound or sorted(known - {_ROWS})[:1]


def milliseconds_words(export: ExportResult, rows: int) -> str:
    """Returns the time of a call for so many rows in words."""
    value = export.milliseconds.get(str(rows))
    return number(None) if value is None else f"{value:.3g} ms"


def has_served(rows: Sequence[tuple[MetricRow, MetricFigures | None]]) -> bool:
    """Returns whether any of the metrics is known of the served model."""
    return any(row.served is not None or (figure and figure.served) for row, figure in rows)


def metric_digits(figures: ModelFigures) -> dict[str, int | None]:
    """Returns the digits after the point of each metric that any slice has."""
    whole = by_name(figures.metrics)
    known = {name: whole[name].candidate if name in whole else None for name in _all(figures)}
    return {name: digits_of(estimate) for name, estimate in known.items()}


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
    return [name for name in _all(figures) if name != _ROWS]


def _all(figures: ModelFigures) -> list[str]:
    return list(dict.fromkeys(name for s in figures.slices for name in s.metrics))


def slice_metric(quality: QualityPart, figures: ModelFigures) -> str | None:
    """Returns the metric by which the slices are compared: one that has a threshold, if any."""
    known = slice_metrics(figures)
    wanted = [row.name for row in quality.metrics if row.bound and row.name in known]
    return (wanted + known)[0] if known else None


CHANCE = "chance explains it"


def difference_words(difference: Estimate) -> str:
    """Returns whether a difference is more than chance."""
    low, high = difference.low, difference.high
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return ""
    return CHANCE if low <= 0 <= high else "more than chance"


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


def is_search_alone(report: Report) -> bool:
    """Returns whether the run only searched for hyperparameters, and was to train no model."""
    return not any(component.name == Node.TRAINER for component in report.components)


def explained_trees(blend: Blend) -> str:
    """Returns the name and weight of the trees whose importance the page shows: the heaviest."""
    trees = [part for part in blend.parts if part.unit == "iteration"]
    heaviest = max(trees, key=lambda part: part.weight)
    return f"{heaviest.name} (weight {share(heaviest.weight)})"


def absence(report: Report, part: str) -> str:
    """Returns why the page has nothing about a part, such as `the training`."""
    stopped = next((c for c in report.components if c.state in _STOPPED), None)
    if report.verdict.status == Status.STOPPED:
        return f"The data gate stopped the run before {part}."
    if report.verdict.status == Status.RUNNING:
        return f"The run is at work, and has not come to {part} yet."
    if stopped is not None and stopped.state == "failed":
        return f"{stopped.name} failed before {part}."
    if report.verdict.exit_code in (130, None):
        return f"An interruption ended the run before {part}."
    return f"The run ended before {part}."


def kind_words(column: ColumnFigures) -> str:
    """Returns what the run uses the column for."""
    role = "" if column.role == "feature" else "not used" if column.role == "other" else column.role
    return ", ".join(filter(None, (column.kind, role)))


def mixed_times(dependence: Sequence[Dependence], figures: DataFigures | None) -> list[str]:
    """Returns the timestamps whose dependence an earlier version measured over whole times."""
    columns = figures.columns if figures is not None else ()
    times = {column.name for column in columns if column.kind == "timestamp"}
    return [d.column for d in dependence if d.part is None and d.column in times]


def shares(rows: Mapping[str, int]) -> dict[str, float]:
    """Returns each split's share of all rows."""
    total = sum(rows.values()) or 1
    return {split: number_ / total for split, number_ in rows.items()}


def checked_against(data: DataPart) -> str | None:
    """Returns what the gate compared the data with; None if the gate did not report."""
    origin = data.checked_against
    if origin is not None and origin.startswith("itself"):
        return "a schema made from the same data"
    return origin


def share_of_limit(distance: Distance) -> str:
    """Returns how much of the allowed distance a column has moved, such as 64 % or 305 %."""
    if not distance.limit:
        return number(distance.value)
    return f"{100 * distance.value / distance.limit:,.0f} %"


def broken_but_closed(columns: Sequence[ColumnFigures]) -> list[tuple[int, ColumnFigures]]:
    """Returns the columns with findings that the page does not open, with their numbers."""
    broken = [column for column in columns if column.attention >= 1]
    return list(enumerate(broken, start=1))[MOST_OPEN:]


def distance_words(distance: Distance) -> str:
    """Returns a distance and what is allowed."""
    return describe_distance(distance.value, distance.limit)


def limit_words(distance: Distance) -> str:
    """Returns what a distance measures, and where its limit comes from."""
    name = MEASURE_NAMES.get(distance.measure, distance.measure)
    meaning = MEANINGS.get(distance.measure, "")
    threshold = format_distance(distance.threshold)
    return (
        f"{name}{f' ({meaning})' if meaning else ''}. Allowed are the configured {threshold} plus "
        "what chance explains in that many rows"
    )


def splits_words(finding: Finding, figures: DataFigures | None) -> str:
    """Returns where a finding holds."""
    names = set(finding.splits)
    if figures is not None and len(names) > 1 and names >= set(figures.rows):
        return "all splits"
    if finding.kind == "drift":
        return f"{', '.join(finding.splits)}, which the gate compares"
    return ", ".join(finding.splits)


def cell_columns(rows: Sequence[WrongRow]) -> list[str]:
    """Returns the columns of which any of the rows has a cell."""
    return list(dict.fromkeys(column for row in rows for column in row.cells))


def numeric_columns(rows: Sequence[WrongRow], columns: Sequence[str]) -> set[str]:
    """Returns the columns whose cells in the rows are numbers, or missing."""
    texts = {c: [row.cells[c] for row in rows if c in row.cells] for c in columns}
    return {c for c, cells in texts.items() if all(map(_is_number_or_missing, cells))}


def _is_number_or_missing(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return cell == _MISSING
    return True


def ratio(part: int, whole: int) -> float | None:
    """Returns a share, or None of nothing."""
    return part / whole if whole else None


def half(thresholds: Sequence[ThresholdRow]) -> ThresholdRow | None:
    """Returns the confusion matrix at the threshold 0.5."""
    return next((row for row in thresholds if row.threshold == 0.5), None)


def constant_answer(figures: ModelFigures) -> str | None:
    """Returns the class whose constant guess is about as often right as the model, if any.

    None also if the model does not rank the rows better than chance: no threshold helps then.
    """
    metrics = by_name(figures.metrics)
    matrix = half(figures.binary.thresholds) if figures.binary else None
    if matrix is None or "accuracy" not in metrics or "auc" not in metrics:
        return None
    accuracy, auc = metrics["accuracy"].candidate, metrics["auc"].candidate
    constant = metrics["accuracy"].constant
    if constant is None or accuracy.low is None or accuracy.low > constant:
        return None
    if auc.low is None or auc.low <= _CLEAR_AUC:
        return None
    positives = matrix.true_positives + matrix.false_negatives
    negatives = matrix.true_negatives + matrix.false_positives
    return class_name(figures, 1 if positives > negatives else 0)


def class_name(figures: ModelFigures, number_: int) -> str:
    """Returns the name of the negative class (0) or of the positive one (1)."""
    names = figures.classes
    return names[number_] if len(names) == 2 else ("negative", "positive")[number_]
