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

    Of all pairs of slices, the pair whose difference has the greatest lower end of the interval.
    """

    metric: str
    columns: tuple[str, ...]
    best: str
    """The name of the better slice, such as `payment_type=Cash`."""
    worst: str
    best_examples: int
    worst_examples: int
    best_value: float
    worst_value: float
    difference: Estimate
    """The absolute difference. The interval is corrected for the choice among all pairs."""
    allowed: float
    passed: bool
    """Whether the interval reaches down to the allowed difference."""
