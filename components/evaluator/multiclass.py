"""The tally of a classification into several classes; the most probable one is predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from components.evaluator.accumulator import CERTAIN, Array, Tally, ratio
from pipeline.config.sections.metrics import metric_name


@dataclass(frozen=True)
class MulticlassTally(Tally):
    """Counts of every class and the sum of the cross-entropies."""

    count: int
    counts: Array
    """Examples of the class, predicted as it, and both at once: float64 [3, classes]."""
    sums: Array
    """Of the cross-entropies, and of the examples with a probability that is none: [2]."""

    @classmethod
    def of(cls, labels: Array, predictions: Array) -> MulticlassTally:
        classes = predictions.shape[1]
        valid = np.isfinite(predictions).all(axis=1)
        p = np.where(valid[:, None], predictions, 1 / classes).astype(np.float64)
        actual, predicted = labels.astype(np.int64), p.argmax(axis=1)
        of_label = p[np.arange(len(p)), actual] / p.sum(axis=1)
        entropy = -np.log(np.clip(of_label, CERTAIN, 1)).sum()
        counted = (actual, predicted, actual[actual == predicted])
        counts = np.stack([np.bincount(c, minlength=classes) for c in counted]).astype(float)
        return cls(len(p), counts, np.array([entropy, (~valid).sum()]))

    def __add__(self, other: MulticlassTally) -> MulticlassTally:
        return MulticlassTally(
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
            "accuracy": ratio(hits.sum(), self.count),
            **{
                metric_name(name, class_name): float(value)
                for name, of_classes in per_class.items()
                for class_name, value in zip(classes, of_classes, strict=True)
            },
            "macro_f1": ratio(per_class["f1"][occurring].sum(), occurring.sum()),
            "log_loss": ratio(entropies, self.count),
        }
        return dict.fromkeys(values, float("nan")) if invalid else values
