"""The part of a finding that its kind determines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Explanation:
    """What is wrong with a column or the table, in words."""

    problem: str
    expected: str = ""
    found: str = ""
    examples: tuple[str, ...] = ()
    remedy: str = ""
    """A setting that removes the cause, so that nothing has to be accepted; may be empty."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Settings of the column, of `validation.columns`, that accept this finding and no other one.
    Empty if only its severity does."""
    against: str = ""
    """What the data was compared with; empty for the schema."""
