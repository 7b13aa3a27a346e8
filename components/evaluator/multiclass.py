"""The accumulator of a multiclass classification, which predicts the most probable class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from components.evaluator.accumulator import MetricAccumulator
from components.predictions.formulas import multiclass_metrics, to_floats
from components.predictions.terms import Array, MulticlassTerms


@dataclass(frozen=True)
class MulticlassAccumulator(MetricAccumulator):
    """Counts of each class, and the sum of the cross-entropies."""

    count: int
    counts: Array
    """Examples of each class, predictions of each class, and hits: float64 [3, classes]."""
    sums: Array
    """Sum of cross-entropies, number of examples with a non-finite probability: float64 [2]."""

    @classmethod
    def from_batch(cls, labels: Array, predictions: Array) -> MulticlassAccumulator:
        terms = MulticlassTerms.from_rows(labels, predictions)
        hits = terms.actual[terms.actual == terms.predicted]
        counted = (terms.actual, terms.predicted, hits)
        counts = [np.bincount(c, minlength=predictions.shape[1]) for c in counted]
        sums = np.array([terms.entropies.sum(), terms.invalid.sum()])
        return cls(len(labels), np.stack(counts).astype(float), sums)

    def __add__(self, other: MulticlassAccumulator) -> MulticlassAccumulator:
        return MulticlassAccumulator(
            self.count + other.count, self.counts + other.counts, self.sums + other.sums
        )

    def metrics(self, classes: Sequence[str]) -> dict[str, float]:
        return to_floats(multiclass_metrics(self.counts, self.sums, classes))
