"""The difference of two models' metrics, with its interval."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from components.model_figures.figures import Estimate, ModelFigures
from components.predictions.bootstrap import Intervals, bootstrap
from components.predictions.estimates import subtract_independent
from components.predictions.slices import group_slices
from components.predictions.table import Predictions
from pipeline.config.sections.metrics import METRICS
from pipeline.report.comparison import MetricChange, SliceChange
from pipeline.report.content import Report
from pipeline.runners.comparing.pair import Pair
from pipeline.terminal.metrics_table import sort_metrics

_REPLICATES = 500
_SLICE_REPLICATES = 200
_MOST_SLICES = 60
"""Slices whose intervals are computed, the largest first: a second or two."""


def compare_paired(models: Pair[Predictions]) -> tuple[MetricChange, ...]:
    """Returns every metric on the same rows, by a paired bootstrap."""
    return tuple(_list_changes(bootstrap(_join(models), replicates=_REPLICATES)))


def compare_slices(models: Pair[Predictions], metric: str, least: int) -> tuple[SliceChange, ...]:
    """Returns a metric on the slices of the same rows, the one that worsened most first.

    Args:
      least: the fewest rows of a slice.
    """
    joined, slices = _join(models), models.after.slices
    found = [
        (name, rows)
        for column in slices
        for name, rows in group_slices(slices, [column])
        if len(rows) >= least
    ]
    largest = sorted(found, key=lambda item: -len(item[1]))[:_MOST_SLICES]
    changes = [
        SliceChange(name, len(rows), change)
        for name, rows in largest
        for change in _list_changes(bootstrap(joined, rows, replicates=_SLICE_REPLICATES))
        if change.name == metric
    ]
    return tuple(sorted(changes, key=lambda s: _gain(s.change)))


def compare_unpaired(reports: Pair[Report]) -> tuple[MetricChange, ...]:
    """Returns every metric of both reports, each on the rows of its own run."""
    sides = reports.map(_read_estimates)
    names = [name for name in sides.after if name in sides.before]
    return tuple(
        _judge(
            name,
            sides.before[name],
            sides.after[name],
            subtract_independent(sides.after[name], sides.before[name]),
        )
        for name in sort_metrics(names)
    )


def _join(models: Pair[Predictions]) -> Predictions:
    """Returns the predictions of both models, the earlier one in the place of the served one."""
    return dataclasses.replace(models.after, served=models.before.candidate)


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
    before, after = change.before.value, change.after.value
    if before is None or after is None:
        return 0.0
    if metric and metric.higher_is_better is None:
        # The best calibration is 1.
        return abs(before - 1) - abs(after - 1)
    return before - after if metric and metric.higher_is_better is False else after - before


def _read_estimates(report: Report) -> dict[str, Estimate]:
    """Returns the metrics of a run, with intervals if the run made figures."""
    if report.quality is None:
        return {}
    rows = (row for row in report.quality.metrics if row.name != "examples")
    values = {row.name: Estimate(row.value, None, None) for row in rows}
    return values | _read_intervals(report.quality.figures)


def _read_intervals(figures: ModelFigures | None) -> dict[str, Estimate]:
    return {metric.name: metric.candidate for metric in figures.metrics} if figures else {}
