"""The decision on one column: a feature, or the reason to leave the column out."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.config import ColumnType, Feature
from pipeline.onboarding.guess import Guess


@dataclass(frozen=True)
class FeatureChoice:
    """A feature, or the reason why the column is left out."""

    feature: Guess[Feature] | None
    """None if the column is left out."""
    why_not: str = ""
    """The reason, if the column is left out."""
    warning: str = ""
    """What the user should check, if anything."""
    column_type: Guess[ColumnType] | None = None
    """The type to read the column as, where type inference could go wrong."""
    is_spelled: bool = False
    """Whether the values are codes or names, whose spelling may tell something."""
