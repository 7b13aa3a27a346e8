"""Values with an interval, and what is made of them. Imports nothing heavy."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval; None where the value cannot be computed."""

    value: float | None
    low: float | None
    high: float | None
    examples: int | None = None
    """The rows that bear a share, such as the predicted positives of a precision; None for a metric
    that is no share, or where the rows were not counted."""


def subtract_independent(one: Estimate, other: Estimate) -> Estimate:
    """Returns the difference of two estimates from different rows.

    Its interval comes from both intervals, as Zou and Donner combine them: Construction of
    confidence limits about effect measures (2008), Statistics in Medicine 27.
    """
    if one.value is None or other.value is None:
        return Estimate(None, None, None)
    value = one.value - other.value
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return Estimate(value, None, None)
    below = math.hypot(one.value - one.low, other.high - other.value)
    above = math.hypot(one.high - one.value, other.value - other.low)
    return Estimate(value, value - below, value + above)


@dataclass(frozen=True)
class Gap:
    """The difference of a metric between two slices of some columns.

    Of all pairs of slices, the pair whose interval has the greatest lower end: the difference that
    chance explains least. Without two slices to compare, the names are empty and the values None.
    """

    metric: str
    columns: tuple[str, ...]
    best: str
    """The name of the better slice, such as `payment_type=Cash`."""
    worst: str
    difference: Estimate
    """The absolute difference. The interval is corrected for the choice among all pairs."""
    allowed: float
    passed: bool
    """Whether the interval does not lie above the allowed difference."""
    best_value: float | None = None
    worst_value: float | None = None
    best_examples: int = 0
    """The rows of the better slice."""
    worst_examples: int = 0
    left_out: tuple[str, ...] = ()
    """One sentence for each slice that does not count, and why; at most 20."""

    @property
    def is_judged(self) -> bool:
        """Whether two slices could be compared."""
        return bool(self.best)
