"""The Evaluator's metrics from rows of predictions, for one weighting of the rows or for many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from components.predictions.formulas import (
    Values,
    binary_metrics,
    multiclass_metrics,
    regression_metrics,
    to_floats,
)
from components.predictions.terms import Array, BinaryTerms, MulticlassTerms, RegressionTerms
from pipeline.config import Task

WeightedMetrics = Callable[[Array], Values]
"""Takes weights, float64 [weightings, n]; returns each metric by name, [weightings]."""


def metrics(
    labels: Array,
    predictions: Array,
    task: Task,
    classes: Sequence[str],
    weights: Array | None = None,
) -> dict[str, float]:
    """Returns the metrics by name, as the Evaluator computes them; NaN where one is undefined.

    Args:
      labels: class indices int64 [n], or numbers [n] in a regression.
      predictions: [n], or [n, classes] if multiclass.
      task: the task.
      classes: the names of the classes; empty in a regression.
      weights: how often each row counts, [n]; None for once.
    """
    weights = np.ones(len(labels)) if weights is None else weights
    weighted = make_weighted_metrics(labels, predictions, task, classes)
    return to_floats({name: value[0] for name, value in weighted(weights[np.newaxis]).items()})


def make_weighted_metrics(
    labels: Array, predictions: Array, task: Task, classes: Sequence[str]
) -> WeightedMetrics:
    """Returns the function from weights of the rows to the metrics; see `metrics`.

    A bootstrap calls the function with the weights of many replicates, after the work that all of
    them share is done once.
    """
    if task == "binary":
        return _weight_binary(BinaryTerms.from_rows(labels, predictions))
    if task == "multiclass":
        return _weight_multiclass(MulticlassTerms.from_rows(labels, predictions), classes)
    return _weight_regression(RegressionTerms.from_rows(labels, predictions))


def _weight_binary(terms: BinaryTerms) -> WeightedMetrics:
    distinct, buckets = np.unique(terms.buckets, return_inverse=True)
    cells = _Groups.from_codes(2 * terms.positive + terms.predicted, 4)
    scores = _Groups.from_codes(2 * buckets + terms.positive, 2 * len(distinct))
    summed = np.stack([terms.probabilities, terms.entropies, terms.invalid], axis=1)

    def weigh(weights: Array) -> Values:
        confusion = cells.sum(weights).reshape(len(weights), 2, 2)
        counts = scores.sum(weights).reshape(len(weights), len(distinct), 2)
        return binary_metrics(confusion, counts, weights @ summed)

    return weigh


def _weight_multiclass(terms: MulticlassTerms, classes: Sequence[str]) -> WeightedMetrics:
    count = len(classes)
    hit = terms.actual == terms.predicted
    groups = [_Groups.from_codes(codes, count) for codes in (terms.actual, terms.predicted)]
    # One more group takes the rows that are no hits.
    hits = _Groups.from_codes(np.where(hit, terms.actual, count), count + 1)
    summed = np.stack([terms.entropies, terms.invalid], axis=1)

    def weigh(weights: Array) -> Values:
        sums = [*(group.sum(weights) for group in groups), hits.sum(weights)[:, :count]]
        return multiclass_metrics(np.stack(sums, axis=1), weights @ summed, classes)

    return weigh


def _weight_regression(terms: RegressionTerms) -> WeightedMetrics:
    # Moments of the distances from one center: stable for large labels.
    center = terms.labels.mean() if len(terms.labels) else 0.0
    distances = terms.labels - center
    finite = np.isfinite(terms.squared)
    # Zero times infinity is NaN: a row of weight 0 would count.
    errors = [np.where(finite, v, 0.0) for v in (terms.predictions, terms.absolute, terms.squared)]
    summed = np.stack([distances, np.square(distances), ~finite, *errors], axis=1)

    def weigh(weights: Array) -> Values:
        count = weights.sum(axis=1)
        first, second, invalid, *sums = (weights @ summed).T
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = first / count
        sums[-1] = np.where(invalid > 0, np.inf, sums[-1])
        deviations = np.maximum(second - first * mean, 0.0)
        return regression_metrics(count, center + mean, deviations, np.stack(sums, axis=1))

    return weigh


@dataclass(frozen=True)
class _Groups:
    """Sums weights by group, for many weightings at once."""

    order: Array
    """The indices of the rows, ordered by group, [n]."""
    starts: Array
    """The place in `order` where each occurring group starts, [occurring groups]."""
    occurring: Array
    """The numbers of the occurring groups, [occurring groups]."""
    count: int

    @classmethod
    def from_codes(cls, codes: Array, count: int) -> _Groups:
        """Returns the groups of rows whose group numbers, from 0 to `count` - 1, are `codes`."""
        order = np.argsort(codes, kind="stable")
        occurring, starts = np.unique(codes[order], return_index=True)
        return cls(order, starts, occurring, count)

    def sum(self, weights: Array) -> Array:
        """Returns the sum of the weights of each group: [weightings, n] to [weightings, count]."""
        sums = np.zeros((len(weights), self.count))
        if len(self.starts):
            sums[:, self.occurring] = np.add.reduceat(weights[:, self.order], self.starts, axis=1)
        return sums
