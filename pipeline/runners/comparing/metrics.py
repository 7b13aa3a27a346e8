"""The difference of two models' metrics, with its interval."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

from components.model_figures.figures import Estimate, ModelFigures
from components.predictions.bootstrap import Intervals, bootstrap
from components.predictions.slices import group_slices
from components.predictions.table import Predictions
from pipeline.config.sections.metrics import METRICS
from pipeline.report.comparison import MetricChange, SliceChange
from pipeline.report.content import Report
from pipeline.terminal.report import sort_metrics

_REPLICATES = 500
_SLICE_REPLICATES = 200
_MOST_SLICES = 60
"""Slices whose intervals are computed, the largest first: a second or two."""
_NOTHING = Estimate(None, None, None)


def compare_paired(before: Predictions, after: Predictions) -> tuple[MetricChange, ...]:
    """Returns every metric on the same rows, by a paired bootstrap."""
    return tuple(_list_changes(bootstrap(_pair(before, after), replicates=_REPLICATES)))


def compare_slices(
    before: Predictions, after: Predictions, metric: str, least: int
) -> tuple[SliceChange, ...]:
    """Returns a metric on the slices of the same rows, the one that worsened most first.

    Args:
      least: the fewest rows of a slice.
    """
    pair = _pair(before, after)
    found = [
        (name, rows)
        for column in after.slices
        for name, rows in group_slices(after.slices, [column])
        if len(rows) >= least
    ]
    largest = sorted(found, key=lambda item: -len(item[1]))[:_MOST_SLICES]
    changes = [
        SliceChange(name, len(rows), change)
        for name, rows in largest
        for change in _list_changes(bootstrap(pair, rows, replicates=_SLICE_REPLICATES))
        if change.name == metric
    ]
    return tuple(sorted(changes, key=lambda s: _gain(s.change)))


def compare_unpaired(before: Report, after: Report) -> tuple[MetricChange, ...]:
    """Returns every metric of both reports, each on the rows of its own run.

    The interval of the difference comes from both intervals, as Zou and Donner combine them:
    Construction of confidence limits about effect measures (2008), Statistics in Medicine 27.
    """
    sides = [_read_estimates(report) for report in (before, after)]
    names = [name for name in sides[1] if name in sides[0]]
    return tuple(
        _judge(name, sides[0][name], sides[1][name], _subtract(sides[1][name], sides[0][name]))
        for name in sort_metrics(names)
    )


def _pair(before: Predictions, after: Predictions) -> Predictions:
    """Returns the predictions of both models, the earlier one in the place of the served one."""
    return dataclasses.replace(after, served=before.candidate)


def _list_changes(intervals: Intervals) -> Iterator[MetricChange]:
    served, difference = intervals.served or {}, intervals.difference or {}
    for name in sort_metrics(intervals.candidate):
        yield _judge(name, served[name], intervals.candidate[name], difference[name])


def _judge(name: str, before: Estimate, after: Estimate, difference: Estimate) -> MetricChange:
    return MetricChange(name, before, after, difference, _is_better(name, difference))


def _is_better(name: str, difference: Estimate) -> bool | None:
    """Whether the metric improved by more than chance explains."""
    metric = METRICS.get(name.partition("[")[0])
    low, high = difference.low, difference.high
    if metric is None or metric.higher_is_better is None or low is None or high is None:
        return None
    if low <= 0 <= high:
        return None
    return (low > 0) == metric.higher_is_better


def _gain(change: MetricChange) -> float:
    """Returns how much better the metric became, for sorting."""
    metric = METRICS.get(change.name.partition("[")[0])
    sign = -1 if metric and metric.higher_is_better is False else 1
    return sign * (change.difference.value or 0.0)


def _read_estimates(report: Report) -> dict[str, Estimate]:
    """Returns the metrics of a run, with intervals if the run made figures."""
    if report.quality is None:
        return {}
    rows = (row for row in report.quality.metrics if row.name != "examples")
    values = {row.name: Estimate(row.value, None, None) for row in rows}
    return values | _read_intervals(report.quality.figures)


def _read_intervals(figures: ModelFigures | None) -> dict[str, Estimate]:
    return {metric.name: metric.candidate for metric in figures.metrics} if figures else {}


def _subtract(after: Estimate, before: Estimate) -> Estimate:
    if after.value is None or before.value is None:
        return _NOTHING
    value = after.value - before.value
    if None in (after.low, after.high, before.low, before.high):
        return Estimate(value, None, None)
    below = math.hypot(after.value - after.low, before.high - before.value)  # type: ignore[operator]
    above = math.hypot(after.high - after.value, before.value - before.low)  # type: ignore[operator]
    return Estimate(value, value - below, value + above)
