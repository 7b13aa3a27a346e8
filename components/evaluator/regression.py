"""The accumulator of a regression."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from components.evaluator.accumulator import Array, MetricAccumulator, divide


@dataclass(frozen=True)
class RegressionAccumulator(MetricAccumulator):
    """Sums of predictions and errors, and the mean and squared deviations of the labels."""

    count: int
    label_mean: float
    label_deviations: float
    """The sum of the labels' squared deviations from their mean."""
    sums: Array
    """The sums of the predictions, of the absolute errors and of the squared errors:

    float64 [3].
    """

    @classmethod
    def from_batch(cls, labels: Array, predictions: Array) -> RegressionAccumulator:
        y, p = labels.astype(np.float64), predictions.astype(np.float64)
        errors = p - y
        mean = float(y.mean())
        return cls(
            len(y),
            mean,
            float(np.square(y - mean).sum()),
            np.array([p.sum(), np.abs(errors).sum(), np.square(errors).sum()]),
        )

    def __add__(self, other: RegressionAccumulator) -> RegressionAccumulator:
        """Merges the labels' moments as in Chan, Golub and LeVeque (1979):

        stable for large labels.
        """
        count = self.count + other.count
        difference = other.label_mean - self.label_mean
        return RegressionAccumulator(
            count,
            self.label_mean + difference * other.count / count,
            self.label_deviations
            + other.label_deviations
            + difference**2 * self.count * other.count / count,
            self.sums + other.sums,
        )

    def metrics(self, classes: Sequence[str]) -> dict[str, float]:
        predictions, absolute, squared = map(float, self.sums)
        values = {
            "rmse": math.sqrt(squared / self.count),
            "mae": absolute / self.count,
            "calibration": divide(predictions, self.label_mean * self.count),
            "r2": 1 - divide(squared, self.label_deviations),
        }
        return values if math.isfinite(squared) else dict.fromkeys(values, float("nan"))
