"""What the model should see of a column: one of the feature kinds, or nothing.

Values decide, and names only where values leave it open.
"""

from __future__ import annotations

from pipeline.config import ColumnType, Feature
from pipeline.config.sections.features import Boolean, Timestamp
from pipeline.core.text import counted
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.feature_choice import Choice
from pipeline.onboarding.judging.number_columns import choose_number
from pipeline.onboarding.judging.text_columns import choose_text, shortened
from pipeline.onboarding.judging.timestamps import guess_timestamp, reason_not_read
from pipeline.onboarding.reading.columns import Column
from pipeline.onboarding.reading.missing_markers import FALSE_WORDS, TRUE_WORDS

_FEWEST_VALUES = 5
"""In the smallest split: with fewer, another division may well leave it without any."""


def choose_kind(column: Column, smallest_share: float) -> Choice:
    """Decides on a column.

    `smallest_share` is that of the smallest split: a column needs values in every one.
    """
    if reason := _emptiness(column, smallest_share):
        return Choice(None, reason)
    if timestamp := guess_timestamp(column):
        return _choose_timestamp(column, timestamp)
    if boolean := _guess_boolean(column):
        return Choice(boolean)
    if column.is_number:
        return choose_number(column)
    reason, advice = reason_not_read(column)
    if reason:
        return Choice(None, reason, f"{column.name}: left out, {reason}; {advice}")
    return choose_text(column)


def _emptiness(column: Column, smallest_share: float) -> str:
    """Why a column has nothing to say, or nothing if it has."""
    if column.observed == 0 or not len(column.categories):
        return "no row has a value"
    if len(column.categories) == 1 and not column.missing:
        return f"constant, always {shortened(column.categories[0])}"
    if column.observed < min(_FEWEST_VALUES / smallest_share, column.rows / 5):
        return f"only {counted(column.observed, 'row')} of {column.rows:,} have a value"
    return ""


def _choose_timestamp(column: Column, guess: Guess[Timestamp]) -> Choice:
    is_decimal = guess.value.format.startswith("epoch") and "." in column.categories[0]
    why = "as float32 the seconds would be rounded"
    column_type: Guess[ColumnType] | None = Guess("string", why) if is_decimal else None
    return Choice(guess, column_type=column_type)


def _guess_boolean(column: Column) -> Guess[Feature] | None:
    lowered = {v.lower() for v in column.categories}
    if len(lowered) != 2:
        return None
    if column.is_number and {float(v) for v in column.numbers} == {0.0, 1.0}:
        known = lowered & set(Boolean().true_values)
        return Guess(Boolean(), "only 0 and 1") if len(known) == 1 else None
    if len(lowered & TRUE_WORDS) == 1 and len(lowered & FALSE_WORDS) == 1:
        shown = " and ".join(map(repr, sorted(column.categories)[:2]))
        return Guess(Boolean(), f"only {shown}")
    return None
