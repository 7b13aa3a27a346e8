"""What becomes of a column."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.config import ColumnType, Feature
from pipeline.onboarding.guess import Guess


@dataclass(frozen=True)
class Choice:
    """A feature, or the reason why there is none."""

    feature: Guess[Feature] | None
    """None if the column is left out."""
    why_not: str = ""
    """The reason, if it is left out."""
    warning: str = ""
    """What the user should look at, if anything."""
    column_type: Guess[ColumnType] | None = None
    """The type it has to be read as where inference could go wrong."""
