"""The accumulator of a multiclass classification, which predicts the most probable class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from components.evaluator.accumulator import CERTAIN, Array, MetricAccumulator, divide
from pipeline.config.sections.metrics import metric_name


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
        classes = predictions.shape[1]
        valid = np.isfinite(predictions).all(axis=1)
        p = np.where(valid[:, None], predictions, 1 / classes).astype(np.float64)
        actual, predicted = labels.astype(np.int64), p.argmax(axis=1)
        of_label = p[np.arange(len(p)), actual] / p.sum(axis=1)
        entropy = -np.log(np.clip(of_label, CERTAIN, 1)).sum()
        counted = (actual, predicted, actual[actual == predicted])
        counts = np.stack([np.bincount(c, minlength=classes) for c in counted]).astype(float)
        return cls(len(p), counts, np.array([entropy, (~valid).sum()]))

    def __add__(self, other: MulticlassAccumulator) -> MulticlassAccumulator:
        return MulticlassAccumulator(
            self.count + other.count, self.counts + other.counts, self.sums + other.sums
        )

    def metrics(self, classes: Sequence[str]) -> dict[str, float]:
        entropies, invalid = self.sums
        actual, predicted, hits = self.counts
        with np.errstate(invalid="ignore"):
            per_class = {
                "precision": hits / predicted,
                "recall": hits / actual,
                "f1": 2 * hits / (actual + predicted),
            }
        occurring = (actual + predicted) > 0
        values = {
            "accuracy": divide(hits.sum(), self.count),
            **{
                metric_name(name, class_name): float(value)
                for name, of_classes in per_class.items()
                for class_name, value in zip(classes, of_classes, strict=True)
            },
            "macro_f1": divide(per_class["f1"][occurring].sum(), occurring.sum()),
            "log_loss": divide(entropies, self.count),
        }
        return dict.fromkeys(values, float("nan")) if invalid else values
