"""Gaps: whether a metric differs between two slices by more than is allowed, and not by chance.

With many slices, two of them differ much by chance alone. So all pairs of slices are compared at
once by the procedure of Games and Howell (Journal of Educational Statistics, 1976): the interval of
each difference is difference +- q / sqrt(2) * sqrt(se1^2 + se2^2). q is the 95 % quantile of the
studentized range for the number of slices. Then, in 95 of 100 evaluations, all intervals together
hold the true differences. A gap is missed if the interval of some pair lies above the allowed
difference. Three choices for small slices:

- The standard errors come from a bootstrap within each slice. The degrees of freedom of q are those
  of the smaller slice, rows - 1.
- A small slice can lack errors by chance: then its loss and the standard error of its loss are both
  too low. So a standard error is at least the one that the pooled variance of all slices gives for
  the rows of the slice.
- A slice does not count if the metric is undefined in more than 1 % of its replicates: recall needs
  about five rows of its class.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy import stats

from components.predictions.bootstrap import replicate
from components.predictions.estimates import Estimate, Gap
from components.predictions.formulas import divide
from components.predictions.gaps.samples import sample_slices
from components.predictions.table import read_predictions
from components.predictions.terms import Array
from pipeline.config import METRICS, GapLimit, LabelConfig
from pipeline.config.sections.metrics import metric_name

_CONFIDENCE = 0.95
_REPLICATES = 200
"""They give a standard error to 5 %. Half of them would give it to 7 %, twice as many to 3.5 %."""
_MOST_ROWS = 2_000
"""The most rows of a slice that replicates are drawn from; the error is scaled to all its rows."""
_MOST_NUMBERS = 1 << 25
"""The most predicted numbers of all sampled rows together: 128 MB."""
_LEAST_DEFINED = 0.99
_MOST_LEFT_OUT = 20
"""Slices that do not count, and of which a reader is told why."""
_DEGREES = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 512, math.inf])
"""Between these degrees of freedom, q is interpolated linearly in their inverse."""

Metrics = Mapping[str, float]


@dataclass(frozen=True)
class _Slices:
    """One metric on the slices that count; each array is [slices]."""

    names: Sequence[str]
    examples: Array
    values: Array
    errors: Array
    """Standard errors."""


@dataclass(frozen=True)
class _Errors:
    """The standard errors of all metrics on all slices of some columns."""

    names: Sequence[str]
    examples: Array
    by_metric: Mapping[str, Array]
    """[slices]; NaN where the metric is undefined in too many replicates."""
    small: Mapping[str, int]
    """The rows of each slice that is too small, by name."""
    least: int
    """The fewest rows of a slice that counts."""

    def explain_left_out(self, metric: str, counted: Container[str]) -> tuple[str, ...]:
        """Returns why slices do not count, the largest slice first.

        Args:
          metric: the metric's name.
          counted: the names of the slices that count.
        """
        small = sorted(self.small.items(), key=lambda item: -item[1])
        return tuple(
            [
                *(f"{metric} is undefined on {n}" for n in self.names if n not in counted),
                *(f"{n} has {rows:,} of {self.least:,} needed rows" for n, rows in small),
            ][:_MOST_LEFT_OUT]
        )


def measure_gaps(
    table: str,
    metrics: Mapping[str, Metrics],
    limits: Sequence[GapLimit],
    label: LabelConfig,
    least: int,
) -> tuple[Gap, ...]:
    """Returns a gap for each limit, and of a metric with a value per class for each class.

    Args:
      table: the directory of the table of predictions.
      metrics: the Evaluator's metrics of all rows, by slice.
      limits: the entries of `evaluation.gaps`.
      label: the section `label`.
      least: the fewest rows of a slice that counts.
    """
    columns = {tuple(sorted(limit.slice_by)) for limit in limits}
    errors = {names: _estimate_errors(table, names, label, least) for names in sorted(columns)}
    return tuple(
        _judge(limit, name, metrics, errors[tuple(sorted(limit.slice_by))])
        for limit in limits
        for name in (metric_name(limit.metric, c) for c in limit.classes(label.classes))
    )


def _judge(limit: GapLimit, name: str, metrics: Mapping[str, Metrics], errors: _Errors) -> Gap:
    slices = _select(metrics, name, errors)
    left_out = errors.explain_left_out(name, slices.names)
    return replace(_compare(limit, name, slices), left_out=left_out)


def _estimate_errors(table: str, columns: Sequence[str], label: LabelConfig, least: int) -> _Errors:
    # A slice of one row has no degree of freedom.
    least = max(least, 2)
    slices = sample_slices(table, columns, max(_MOST_ROWS, least))
    groups = {name: rows for name, rows in slices.items() if rows.count >= least}
    random = np.random.default_rng(0)
    numbers = max(len(label.classes), 1) * max(len(groups), 1)
    most = max(min(_MOST_ROWS, _MOST_NUMBERS // numbers), least)
    samples = [rows.sample(most) for rows in groups.values()]
    read = np.sort(np.concatenate([np.empty(0, np.int64), *samples]))
    predictions = read_predictions(table, read)
    by_metric: dict[str, list[float]] = {}
    for rows, sample in zip(groups.values(), samples, strict=True):
        places = np.searchsorted(read, sample)
        [drawn] = replicate(predictions, [predictions.candidate], places, _REPLICATES, random)
        defined = np.isfinite(drawn.draws).mean(axis=0) >= _LEAST_DEFINED
        errors = drawn.standard_errors() * math.sqrt(len(sample) / rows.count)
        for name, error in zip(drawn.names, np.where(defined, errors, np.nan), strict=True):
            by_metric.setdefault(name, []).append(error)
    return _Errors(
        list(groups),
        np.array([rows.count for rows in groups.values()]),
        {name: np.array(errors) for name, errors in by_metric.items()},
        {name: rows.count for name, rows in slices.items() if rows.count < least},
        least,
    )


def _select(metrics: Mapping[str, Metrics], name: str, errors: _Errors) -> _Slices:
    """Returns the slices on which the metric and its standard error are defined."""
    given = errors.by_metric.get(name, np.empty(0))
    values = np.array([metrics.get(where, {}).get(name, math.nan) for where in errors.names])
    chosen = np.flatnonzero(np.isfinite(values) & np.isfinite(given))
    examples, found = errors.examples[chosen], given[chosen]
    # The variance of one row, pooled over all slices.
    variance = divide(np.square(found * examples).sum(), examples.sum())
    found = np.maximum(found, np.sqrt(variance / examples))
    return _Slices([errors.names[i] for i in chosen], examples, values[chosen], found)


def _compare(limit: GapLimit, name: str, slices: _Slices) -> Gap:
    """Returns the gap of the two slices whose interval reaches highest at its lower end."""
    columns, allowed = tuple(sorted(limit.slice_by)), limit.at_most
    if len(slices.names) < 2:
        nothing = Estimate(None, None, None)
        return Gap(name, columns, "", "", nothing, allowed, passed=True)
    pairs = [_find_partner(slices, index) for index in range(len(slices.names))]
    low, higher, lower = max((low, index, other) for index, (low, other) in enumerate(pairs))
    difference = slices.values[higher] - slices.values[lower]
    best, worst = _order(limit.metric, slices, higher, lower)
    return Gap(
        name,
        columns,
        slices.names[best],
        slices.names[worst],
        Estimate(float(difference), float(low), float(2 * difference - low)),
        allowed,
        passed=bool(low <= allowed),
        best_value=float(slices.values[best]),
        worst_value=float(slices.values[worst]),
        best_examples=int(slices.examples[best]),
        worst_examples=int(slices.examples[worst]),
    )


def _find_partner(slices: _Slices, index: int) -> tuple[float, int]:
    """Returns the slice that is lowest beyond chance below the slice `index`.

    Returns the lower end of the interval of the difference, and the index of the other slice.
    """
    degrees = np.minimum(slices.examples, slices.examples[index]) - 1
    errors = np.hypot(slices.errors, slices.errors[index]) / math.sqrt(2)
    low = slices.values[index] - slices.values - _find_range(len(degrees), degrees) * errors
    low[index] = -math.inf
    other = int(low.argmax())
    return float(low[other]), other


def _find_range(slices: int, degrees: Array) -> Array:
    """Returns the quantile of the studentized range for each number of degrees of freedom."""
    return np.interp(1 / degrees, 1 / _DEGREES[::-1], _compute_ranges(slices))


@lru_cache
def _compute_ranges(slices: int) -> Array:
    """Returns the quantiles for `_DEGREES`, the most degrees first."""
    ranges: Array = stats.studentized_range.ppf(_CONFIDENCE, slices, _DEGREES[::-1])
    return ranges


def _order(metric: str, slices: _Slices, higher: int, lower: int) -> tuple[int, int]:
    """Returns the better slice first."""
    better = METRICS[metric].higher_is_better
    if better is None:
        # The best calibration is 1.
        better = abs(slices.values[higher] - 1) <= abs(slices.values[lower] - 1)
    return (higher, lower) if better else (lower, higher)
