"""The accumulator of a regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from components.evaluator.accumulator import MetricAccumulator
from components.predictions.formulas import regression_metrics, to_floats
from components.predictions.terms import Array, RegressionTerms


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
        terms = RegressionTerms.from_rows(labels, predictions)
        mean = float(terms.labels.mean())
        summed = (terms.predictions, terms.absolute, terms.squared)
        return cls(
            len(labels),
            mean,
            float(np.square(terms.labels - mean).sum()),
            np.array([values.sum() for values in summed]),
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
        return to_floats(
            regression_metrics(self.count, self.label_mean, self.label_deviations, self.sums)
        )
