"""Values with an interval, and what is made of them. Imports nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval; None where the value cannot be computed."""

    value: float | None
    low: float | None
    high: float | None


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
