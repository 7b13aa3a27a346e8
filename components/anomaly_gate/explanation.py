"""The part of a finding that depends on its kind."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """What is wrong, in words."""

    problem: str
    expected: str = ""
    found: str = ""
    examples: tuple[str, ...] = ()
    remedy: str = ""
    """A setting that repairs rather than accepts."""
    tolerance: tuple[str, float] | None = None
    """A key of the configuration and the value from which on this is no finding."""
    against: str = ""
    """What the data was held against, where it was not the schema."""
