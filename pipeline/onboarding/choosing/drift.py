"""Notices that the label changes over time, which a split by row hides."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import numpy as np

from pipeline.core.text import percent
from pipeline.onboarding.judging.baseline import Baseline
from pipeline.onboarding.reading.arrays import Flags, Floats, ranks_of
from pipeline.onboarding.reading.columns import Column
from pipeline.onboarding.reading.times import read_times

_LATEST = 0.1
"""Share of the rows that count as the latest, as many as most test splits have."""
_FEWEST_LATEST = 50
_CERTAIN = 5.0
"""Standard errors by which the latest labels must differ."""
_FAR = 0.2
"""Standard deviations of the label by which its mean must change: for 30 % of a class, 9 points."""


def hint_at_drift(baseline: Baseline, columns: Sequence[Column]) -> list[str]:
    """Returns a sentence on the first column by whose time the label drifts, if any.

    Args:
      baseline: the labels.
      columns: the columns of times.
    """
    for column in columns:
        times = read_times(column)
        if times is not None and (change := _describe_change(baseline, times[baseline.rows])):
            return [
                f"{column.name}: the label drifts: {change}; new rows will be later still: "
                f"`--time-column {shlex.quote(column.name)}` tests on the latest rows"
            ]
    return []


def _describe_change(baseline: Baseline, times: Floats) -> str:
    """Returns how the latest labels differ from those before, or an empty string."""
    known = ~np.isnan(times)
    is_late = np.zeros(len(times), np.bool_)
    is_late[known] = ranks_of(times[known]) > (1 - _LATEST) * known.sum()
    before = known & ~is_late
    if min(is_late.sum(), before.sum()) < _FEWEST_LATEST:
        return ""
    late, early = (baseline.targets[rows].mean(axis=0) for rows in (is_late, before))
    spread = np.maximum(baseline.targets.std(axis=0), 1e-12)
    moved = np.abs(late - early) / spread
    farthest = int(moved.argmax())
    is_certain = moved[farthest] * np.sqrt(is_late.sum()) >= _CERTAIN
    if moved[farthest] < _FAR or not is_certain:
        return ""
    return _describe_means(baseline, is_late, before, farthest)


def _describe_means(baseline: Baseline, is_late: Flags, before: Flags, target: int) -> str:
    late, early = (float(baseline.values[rows, target].mean()) for rows in (is_late, before))
    if baseline.task == "regression":
        return f"its mean is {late:.3g} in the latest tenth of the rows, {early:.3g} before"
    name = baseline.classes[target if baseline.task == "multiclass" else 1]
    return f"{percent(late)} of the latest tenth of the rows are {name!r}, {percent(early)} before"
