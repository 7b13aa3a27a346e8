"""What an evaluation has to remember of its examples: sums that can be added, never the examples.

TensorFlow Model Analysis looks at every example by itself, in Python. A tally takes thousands in
one step of NumPy; tallies of parts, made anywhere, add up to the tally of the whole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

CERTAIN = 1e-7
"""Probabilities are kept so far from 0 and 1 where their logarithm is taken, as in Keras."""


class Tally(ABC):
    """The sums of one task's metrics over some examples.

    A prediction that is not a finite number makes every metric NaN, which passes no threshold.
    """

    count: int
    """The number of examples."""

    @classmethod
    @abstractmethod
    def of(cls, labels: Array, predictions: Array) -> Tally:
        """The tally of examples: `labels` [n], and `predictions` [n] or [n, classes]."""

    @abstractmethod
    def __add__(self, other: Any) -> Tally:
        """The tally of both."""

    @abstractmethod
    def metrics(self, classes: Sequence[str]) -> dict[str, float]:
        """The values of the task's metrics by name; NaN where nothing is there to count."""


def ratio(part: float, whole: float) -> float:
    """Their quotient, NaN for a whole of zero."""
    return float(part / whole) if whole else float("nan")


def add_by_key(keys: Array, values: Array) -> tuple[Array, Array]:
    """Adds up the rows of `values` [n, width] that have equal `keys` [n]; the keys in order."""
    unique, place = np.unique(keys, return_inverse=True)
    sums = [np.bincount(place, column, len(unique)) for column in values.T]
    return unique, np.stack(sums, axis=1)
