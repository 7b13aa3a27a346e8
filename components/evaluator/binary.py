"""The accumulator of a binary classification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from components.evaluator.accumulator import MetricAccumulator, sum_by_key
from components.predictions.formulas import binary_metrics, to_floats
from components.predictions.terms import Array, BinaryTerms


@dataclass(frozen=True)
class Scores:
    """A histogram of the predicted probabilities, of negatives and of positives.

    Empty buckets are not kept.
    """

    buckets: Array
    """The bucket numbers in ascending order, int64 [n]."""
    counts: Array
    """The numbers of negatives and positives in each bucket, float64 [n, 2]."""

    @classmethod
    def from_terms(cls, terms: BinaryTerms) -> Scores:
        """Returns the histogram of a batch."""
        labels = np.stack([~terms.positive, terms.positive], axis=1)
        return cls(*sum_by_key(terms.buckets, labels.astype(float)))

    def __add__(self, other: Scores) -> Scores:
        buckets = np.concatenate([self.buckets, other.buckets])
        return Scores(*sum_by_key(buckets, np.concatenate([self.counts, other.counts])))


@dataclass(frozen=True)
class BinaryAccumulator(MetricAccumulator):
    """The confusion matrix at probability 0.5, the histogram of scores, and sums over examples."""

    count: int
    confusion: Array
    """The number of examples by [label, predicted class], float64 [2, 2]."""
    scores: Scores
    sums: Array
    """Sum of probabilities, sum of cross-entropies, number of non-finite probabilities: [3]."""

    @classmethod
    def from_batch(cls, labels: Array, predictions: Array) -> BinaryAccumulator:
        terms = BinaryTerms.from_rows(labels, predictions)
        cells = 2 * terms.positive + terms.predicted
        confusion = np.bincount(cells, minlength=4).reshape(2, 2).astype(float)
        summed = (terms.probabilities, terms.entropies, terms.invalid)
        sums = np.array([values.sum() for values in summed])
        return cls(len(cells), confusion, Scores.from_terms(terms), sums)

    def __add__(self, other: BinaryAccumulator) -> BinaryAccumulator:
        return BinaryAccumulator(
            self.count + other.count,
            self.confusion + other.confusion,
            self.scores + other.scores,
            self.sums + other.sums,
        )

    def metrics(self, classes: Sequence[str]) -> dict[str, float]:
        return to_floats(binary_metrics(self.confusion, self.scores.counts, self.sums))
