"""What the page says of the model's quality in words and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from components.model_figures.figures import (
    Estimate,
    MetricFigures,
    ModelFigures,
    ThresholdRow,
    WrongRow,
)
from pipeline.core.events import ExportResult
from pipeline.report.content import Blend, MetricRow, QualityPart
from pipeline.report.words import digits_of, number, share

_ROWS = "examples"
"""The Evaluator's results hold the number of rows among the metrics."""
_MISSING = "(missing)"
"""A cell without a value, as ModelFigures writes it."""
_CLEAR_AUC = 0.55
"""An interval above it is clearly above chance; closer to 0.5, another threshold gains little."""
CHANCE = "chance explains it"


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


def explained_trees(blend: Blend) -> str:
    """Returns the name and weight of the trees whose importance the page shows: the heaviest."""
    trees = [part for part in blend.parts if part.unit == "iteration"]
    heaviest = max(trees, key=lambda part: part.weight)
    return f"{heaviest.name} (weight {share(heaviest.weight)})"


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
