"""Metrics with intervals: of the whole split, and of each slice."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from components.model_figures.figures import Estimate, MetricFigures, SliceFigures
from components.model_figures.settings import FigureSettings
from components.predictions.bootstrap import Intervals, bootstrap
from components.predictions.metrics import metrics
from components.predictions.slices import group_slices
from components.predictions.table import Predictions
from components.predictions.terms import Array
from pipeline.config import METRICS

_MOST_SLICES = 1000
"""Of more slices, the largest ones are shown."""
_MOST_INTERVALS = 100
"""Slices with intervals, the worst first: a bootstrap takes some 10 ms."""
_SLICE_REPLICATES = 200
_SLICE_ROWS = 3_000


def describe_metrics(
    predictions: Predictions, intervals: Intervals, settings: FigureSettings
) -> tuple[MetricFigures, ...]:
    """Returns the metrics of the whole split, without those of single classes that no threshold
    names: a thousand classes have three thousand of them."""
    constant = measure_constant_guess(predictions)
    named = {settings.leading_metric[1], *METRICS}
    return tuple(
        MetricFigures(
            name=name,
            candidate=estimate,
            served=_get(intervals.served, name),
            difference=_get(intervals.difference, name),
            constant=_defined(constant.get(name, math.nan)),
        )
        for name, estimate in intervals.candidate.items()
        if name in named
    )


def measure_constant_guess(predictions: Predictions) -> dict[str, float]:
    """Returns the metrics of the shares of the classes, or the mean label, as each prediction."""
    labels = predictions.labels
    if predictions.task == "regression":
        guess = np.full(len(labels), labels.mean() if len(labels) else math.nan)
    else:
        counts = np.bincount(labels[labels >= 0], minlength=len(predictions.classes))
        shares = counts / max(counts.sum(), 1)
        shares = shares[1] if predictions.task == "binary" else shares
        guess = np.broadcast_to(shares, (len(labels), *np.shape(shares)))
    found = metrics(labels, guess, predictions.task, predictions.classes)
    # Exact: the sums of a regression leave a rest such as 1e-15.
    return found | {"r2": 0.0} if math.isfinite(found.get("r2", math.nan)) else found


def describe_slices(predictions: Predictions, settings: FigureSettings) -> tuple[SliceFigures, ...]:
    """Returns the slices that are as large as the Evaluator asks, the worst one first."""
    found = sorted(_iter_slices(predictions, settings), key=lambda s: -len(s[2]))[:_MOST_SLICES]
    wanted = {settings.leading_metric[1], *METRICS}
    measured = [
        (columns, name, rows, _measure(predictions, rows, wanted)) for columns, name, rows in found
    ]
    measured.sort(key=lambda s: _rank(s[3], settings))
    return tuple(
        SliceFigures(
            name=name,
            columns=columns,
            examples=len(rows),
            metrics=_add_intervals(predictions, rows, values, place < _MOST_INTERVALS),
        )
        for place, (columns, name, rows, values) in enumerate(measured)
    )


def _iter_slices(
    predictions: Predictions, settings: FigureSettings
) -> Iterator[tuple[tuple[str, ...], str, Array]]:
    for columns in settings.slicings:
        for name, rows in group_slices(predictions.slices, columns):
            if len(rows) >= settings.evaluation.min_slice_size:
                yield columns, name, rows


def _measure(predictions: Predictions, rows: Array, wanted: set[str]) -> dict[str, float]:
    found = metrics(
        predictions.labels[rows],
        predictions.candidate[rows],
        predictions.task,
        predictions.classes,
    )
    return {name: value for name, value in found.items() if name in wanted}


def _rank(values: Mapping[str, float], settings: FigureSettings) -> float:
    """Returns a number that is less for a worse slice; undefined metrics come last."""
    metric, name = settings.leading_metric
    value = values.get(name, math.nan)
    if not math.isfinite(value):
        return math.inf
    better = METRICS[metric].higher_is_better
    if better is None:
        return -abs(value - 1)
    return value if better else -value


def _add_intervals(
    predictions: Predictions, rows: Array, values: Mapping[str, float], with_intervals: bool
) -> dict[str, Estimate]:
    if not with_intervals:
        return {name: Estimate(_defined(value), None, None) for name, value in values.items()}
    found = bootstrap(predictions, rows, replicates=_SLICE_REPLICATES, most_rows=_SLICE_ROWS)
    return {name: found.candidate[name] for name in values}


def _get(estimates: Mapping[str, Estimate] | None, name: str) -> Estimate | None:
    return estimates.get(name) if estimates is not None else None


def _defined(value: float) -> float | None:
    return value if math.isfinite(value) else None
