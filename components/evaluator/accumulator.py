"""The interface of the metric accumulators: sums over examples, from which the metrics follow.

TensorFlow Model Analysis visits each example in Python. An accumulator takes a batch of thousands
in one NumPy step. Accumulators of parts of a split, made in any process, add up to the accumulator
of the whole split.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from components.predictions.terms import Array


class MetricAccumulator(ABC):
    """The sums behind the metrics of one task.

    A prediction that is NaN or infinite makes every metric NaN, and NaN passes no threshold.
    """

    count: int
    """The number of examples."""

    @classmethod
    @abstractmethod
    def from_batch(cls, labels: Array, predictions: Array) -> MetricAccumulator:
        """Returns the accumulator of one batch: `labels` [n], `predictions` [n] or [n, classes]."""

    @abstractmethod
    def __add__(self, other: Any) -> MetricAccumulator:
        """Returns the accumulator of the examples of both."""

    @abstractmethod
    def metrics(self, classes: Sequence[str]) -> dict[str, float]:
        """Returns the task's metrics by name. A metric without examples to count is NaN."""


def sum_by_key(keys: Array, values: Array) -> tuple[Array, Array]:
    """Returns the distinct `keys` [n] in ascending order, and the sums of their rows in `values`.

    `values` is [n, width]; the sums are [distinct keys, width].
    """
    unique, place = np.unique(keys, return_inverse=True)
    sums = [np.bincount(place, column, len(unique)) for column in values.T]
    return unique, np.stack(sums, axis=1)
