"""The tally of a regression."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from components.evaluator.accumulator import Array, Tally, ratio


@dataclass(frozen=True)
class RegressionTally(Tally):
    """Sums of the errors, and the labels' moments."""

    count: int
    label_mean: float
    label_deviations: float
    """The sum of the labels' squared deviations from their mean."""
    sums: Array
    """Of the predictions, of the absolute errors and of the squared errors: float64 [3]."""

    @classmethod
    def of(cls, labels: Array, predictions: Array) -> RegressionTally:
        y, p = labels.astype(np.float64), predictions.astype(np.float64)
        errors = p - y
        mean = float(y.mean())
        return cls(
            len(y),
            mean,
            float(np.square(y - mean).sum()),
            np.array([p.sum(), np.abs(errors).sum(), np.square(errors).sum()]),
        )

    def __add__(self, other: RegressionTally) -> RegressionTally:
        """Merges moments as Chan, Golub and LeVeque (1979), which is stable for large labels."""
        count = self.count + other.count
        apart = other.label_mean - self.label_mean
        return RegressionTally(
            count,
            self.label_mean + apart * other.count / count,
            self.label_deviations
            + other.label_deviations
            + apart**2 * self.count * other.count / count,
            self.sums + other.sums,
        )

    def metrics(self, classes: Sequence[str]) -> dict[str, float]:
        predictions, absolute, squared = map(float, self.sums)
        values = {
            "rmse": math.sqrt(squared / self.count),
            "mae": absolute / self.count,
            "calibration": ratio(predictions, self.label_mean * self.count),
            "r2": 1 - ratio(squared, self.label_deviations),
        }
        return values if math.isfinite(squared) else dict.fromkeys(values, float("nan"))
