"""The tally of a binary classification: the positive class and the probability of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from components.evaluator.accumulator import CERTAIN, Array, Tally, add_by_key, ratio

_THRESHOLD = 0.5
_FARTHEST = 1e-12
_BUCKETS_PER_LOGIT = 1024


@dataclass(frozen=True)
class Scores:
    """How many negatives and positives were given which probability.

    The buckets are equally wide in log-odds: of a rare class all probabilities lie near zero, and
    buckets of equal probability would throw them together. Only buckets that occur are kept.
    """

    buckets: Array
    """In ascending order, int64 [n]."""
    counts: Array
    """Negatives and positives, float64 [n, 2]."""

    @classmethod
    def of(cls, positive: Array, probabilities: Array) -> Scores:
        p = np.clip(probabilities, _FARTHEST, 1 - _FARTHEST)
        buckets = np.floor((np.log(p) - np.log1p(-p)) * _BUCKETS_PER_LOGIT).astype(np.int64)
        return cls(*add_by_key(buckets, np.stack([~positive, positive], axis=1).astype(float)))

    def __add__(self, other: Scores) -> Scores:
        buckets = np.concatenate([self.buckets, other.buckets])
        return Scores(*add_by_key(buckets, np.concatenate([self.counts, other.counts])))

    def roc_area(self) -> float:
        """The chance that a positive has a higher score than a negative; ties count half."""
        negatives, positives = self.counts.T
        lower = np.cumsum(negatives) - negatives
        return ratio(positives @ (lower + negatives / 2), negatives.sum() * positives.sum())

    def precision_recall_area(self) -> float:
        """The area under precision over recall, between points as in Davis and Goadrich (2006).

        From one point to the next, with true positives growing from a by d and the predicted ones
        from b by e, precision at a + x is (a + x) / (b + x * e / d); its integral over x is taken.
        """
        negatives, positives = self.counts[::-1].T
        found = positives > 0
        d, e = positives[found], (negatives + positives)[found]
        a = np.cumsum(positives)[found] - d
        b = np.cumsum(negatives + positives)[found] - e
        slope = d / e
        with np.errstate(divide="ignore", invalid="ignore"):
            bend = slope * (a - b * slope) * np.log((b + e) / b)
        # From the very first point on, precision is constant.
        return ratio(float(np.sum(slope * d + np.where(b > 0, bend, 0.0))), positives.sum())


@dataclass(frozen=True)
class BinaryTally(Tally):
    """Counts at a probability of 0.5, the scores of both classes, and sums over the examples."""

    count: int
    confusion: Array
    """Counts by [label, predicted], float64 [2, 2]."""
    scores: Scores
    sums: Array
    """Of the probabilities, of the cross-entropies, and of the probabilities that are none: [3]."""

    @classmethod
    def of(cls, labels: Array, predictions: Array) -> BinaryTally:
        positive = labels > _THRESHOLD
        p = predictions.astype(np.float64)
        valid = np.isfinite(p)
        p = np.where(valid, p, 0.0)
        confusion = np.bincount(2 * positive + (p > _THRESHOLD), minlength=4).reshape(2, 2)
        right = np.where(positive, p, 1 - p)
        entropy = -np.log(np.clip(right, CERTAIN, 1 - CERTAIN)).sum()
        sums = np.array([p.sum(), entropy, (~valid).sum()])
        return cls(len(p), confusion.astype(float), Scores.of(positive, p), sums)

    def __add__(self, other: BinaryTally) -> BinaryTally:
        return BinaryTally(
            self.count + other.count,
            self.confusion + other.confusion,
            self.scores + other.scores,
            self.sums + other.sums,
        )

    def metrics(self, classes: Sequence[str]) -> dict[str, float]:
        (tn, fp), (fn, tp) = self.confusion
        probabilities, entropies, invalid = self.sums
        found, spared = ratio(tp, tp + fn), ratio(tn, tn + fp)
        values = {
            "auc": self.scores.roc_area(),
            "pr_auc": self.scores.precision_recall_area(),
            "accuracy": ratio(tp + tn, self.count),
            "balanced_accuracy": (found + spared) / 2,
            "precision": ratio(tp, tp + fp),
            "recall": found,
            "f1": ratio(2 * tp, 2 * tp + fp + fn),
            "log_loss": ratio(entropies, self.count),
            "calibration": ratio(probabilities, tp + fn),
        }
        return dict.fromkeys(values, float("nan")) if invalid else values
