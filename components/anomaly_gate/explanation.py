"""The part of a finding that its kind determines."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """What is wrong with a column or the table, in words."""

    problem: str
    expected: str = ""
    found: str = ""
    examples: tuple[str, ...] = ()
    remedy: str = ""
    """A setting that removes the cause, so that nothing has to be accepted; may be empty."""
    tolerance: tuple[str, float] | None = None
    """A configuration key and the least value at which this is no longer a finding."""
    against: str = ""
    """What the data was compared with; empty for the schema."""
