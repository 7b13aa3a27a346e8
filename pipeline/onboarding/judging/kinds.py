"""Decides what the model sees of a column: one of the feature kinds, or nothing.

The values decide. The column's name counts only where the values leave the decision open.
"""

from __future__ import annotations

from pipeline.config import ColumnType, Feature
from pipeline.config.sections.features import Boolean, Timestamp
from pipeline.core.text import counted
from pipeline.core.zones import AS_WRITTEN
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.feature_choice import FeatureChoice
from pipeline.onboarding.judging.number_columns import choose_number_feature
from pipeline.onboarding.judging.text_columns import choose_text_feature, quote_shortened
from pipeline.onboarding.judging.timestamps import explain_unread_dates, guess_timestamp
from pipeline.onboarding.reading.columns import Column
from pipeline.onboarding.reading.missing_markers import FALSE_WORDS, TRUE_WORDS

_FEWEST_VALUES = 5
"""Expected values in the smallest split. With fewer, another seed may well leave a split without
any value, and the run would stop."""
_ROWS_A_VALUE = 5
"""One value in five rows is enough in tables too small for the rule above."""


def choose_feature(column: Column, smallest_share: float, outputs: int = 1) -> FeatureChoice:
    """Decides on a column.

    Args:
      column: the column.
      smallest_share: the share of the smallest split: a column needs values in every split.
      outputs: the number of the model's outputs.
    """
    if reason := _explain_emptiness(column, smallest_share):
        return FeatureChoice(None, reason)
    if reason := column.overflow:
        advice = "divide the column, or store its logarithm, to use it"
        return FeatureChoice(None, reason, f"{column.name}: left out, {reason}; {advice}")
    if timestamp := guess_timestamp(column):
        return _choose_timestamp(column, timestamp)
    if boolean := _guess_boolean(column):
        return FeatureChoice(boolean)
    if column.is_number:
        return choose_number_feature(column)
    reason, advice = explain_unread_dates(column)
    if reason:
        return FeatureChoice(None, reason, f"{column.name}: left out, {reason}; {advice}")
    return choose_text_feature(column, outputs)


def _explain_emptiness(column: Column, smallest_share: float) -> str:
    """Returns why a column cannot tell the model anything, or an empty string if it can."""
    if column.present == 0 or not len(column.categories):
        return "no row has a value"
    if len(column.categories) == 1 and not column.missing:
        return f"constant, always {quote_shortened(column.categories[0])}"
    needed = min(_FEWEST_VALUES / smallest_share, column.rows / _ROWS_A_VALUE)
    if column.present < needed:
        have = "has" if column.present == 1 else "have"
        return f"only {column.present:,} of {counted(column.rows, 'row')} {have} a value"
    return ""


def _choose_timestamp(column: Column, guess: Guess[Timestamp]) -> FeatureChoice:
    is_decimal = guess.value.format.startswith("epoch") and "." in column.categories[0]
    why = "float32 would round the seconds"
    column_type: Guess[ColumnType] | None = Guess("string", why) if is_decimal else None
    # Times since 1970 have no offset. Elsewhere, only a person knows whether offsets should count.
    is_doubtful = guess.value.zone == AS_WRITTEN and not guess.value.format.startswith("epoch")
    warning = f"{column.name}: {guess.why}" if is_doubtful else ""
    return FeatureChoice(guess, warning=warning, column_type=column_type)


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
