"""What the model should see of a column: one of the feature kinds, or nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from pipeline.config import ColumnType, Feature
from pipeline.config.features import (
    Boolean,
    Bucketized,
    Categorical,
    Hashed,
    Numeric,
    Text,
    Timestamp,
)
from pipeline.onboarding import names
from pipeline.onboarding.columns import Column
from pipeline.onboarding.guess import Guess, counted, percent
from pipeline.onboarding.markers import FALSE_WORDS, TRUE_WORDS
from pipeline.onboarding.timestamps import guess_timestamp

HASHED_FROM = 10_000
_FEW_CODES = 10
_MOST_GROUPS = 400
_MOST_CALENDAR = 31
_NEARLY_ALL = 0.95
_FEWEST_VALUES = 5
"""In the smallest split: with fewer, another division may well leave it without any."""
_FEWEST_ROWS = 10
"""Among fewer values it means nothing that all of them differ."""
_WORDS_OF_TEXT = 4.0
_DRESSED_NUMBER = r"^\s*[$€£]?\s*[+-]?\d{1,3}([,.' ]?\d{3})*([.,]\d+)?\s*[%$€£]?\s*$"
_LONG_TAIL = 1.5
_VERY_LONG_TAIL = 4.0


@dataclass(frozen=True)
class Choice:
    """What becomes of a column."""

    feature: Guess[Feature] | None
    """None if it is left out."""
    why_not: str = ""
    """The reason, if it is left out."""
    warning: str = ""
    """What the user should look at, if anything."""
    column_type: Guess[ColumnType] | None = None
    """The type it has to be read as where inference could go wrong."""


def choose_kind(column: Column, smallest_share: float) -> Choice:
    """Decides by the values first and by the name only where they leave it open.

    `smallest_share` is that of the smallest split: a column needs values in every one.
    """
    if reason := _emptiness(column, smallest_share):
        return Choice(None, reason)
    if timestamp := guess_timestamp(column):
        return _choose_timestamp(column, timestamp)
    if boolean := _guess_boolean(column):
        return Choice(boolean)
    return _choose_number(column) if column.is_number else _choose_text(column)


def _emptiness(column: Column, smallest_share: float) -> str:
    if column.observed == 0 or not len(column.categories):
        return "no row has a value"
    if len(column.categories) == 1 and not column.missing:
        return f"constant, always {_shortened(column.categories[0])}"
    if column.observed < min(_FEWEST_VALUES / smallest_share, column.rows / 5):
        return f"only {counted(column.observed, 'row')} of {column.rows:,} have a value"
    return ""


def _choose_timestamp(column: Column, guess: Guess[Timestamp]) -> Choice:
    needs_text = guess.value.format.startswith("epoch") and "." in column.categories[0]
    column_type: Guess[ColumnType] | None = None
    if needs_text:
        column_type = Guess("string", "as float32 the seconds would be rounded")
    return Choice(guess, column_type=column_type)


def _guess_boolean(column: Column) -> Guess[Feature] | None:
    lowered = {v.lower() for v in column.categories}
    if len(lowered) != 2:
        return None
    if column.is_number and {float(v) for v in column.numbers} == {0.0, 1.0}:
        known = {t for t in Boolean().true_values if t in lowered}
        return Guess(Boolean(), "only 0 and 1") if len(known) == 1 else None
    if len(lowered & TRUE_WORDS) == 1 and len(lowered & FALSE_WORDS) == 1:
        return Guess(Boolean(), f"only {' and '.join(map(repr, sorted(column.categories)[:2]))}")
    return None


def _choose_number(column: Column) -> Choice:
    if column.scan.integral:
        if reason := _row_number(column):
            return Choice(None, reason)
        if reason := _code(column):
            return _choose_codes(column, reason)
    limit = names.coordinate_limit(column.name)
    if limit and -limit <= column.scan.low and column.scan.high <= limit and column.distinct > 20:
        buckets = int(np.clip(column.observed // 100, 5, 50))
        return Choice(Guess(Bucketized(buckets=buckets), "a coordinate: near places act alike"))
    return Choice(_guess_scale(column))


def _row_number(column: Column) -> str:
    """Why whole numbers are only the rows' own numbers, or nothing if they are not."""
    if column.distinct_share < _NEARLY_ALL or column.observed < _FEWEST_ROWS:
        return ""
    everywhere = (
        "all values differ"
        if column.distinct_share == 1
        else (f"{percent(column.distinct_share)} of the values differ")
    )
    if names.names_identifier(column.name):
        return everywhere
    steps = np.diff(column.numbers)
    counts_up = bool((steps > 0).all()) or bool((steps < 0).all())
    dense = column.scan.high - column.scan.low < 1.1 * column.rows
    if column.distinct_share == 1 and dense and (counts_up or column.rows > 100):
        return f"all values differ: a number from {column.scan.low:.0f} to {column.scan.high:.0f}"
    return ""


def _code(column: Column) -> str:
    """Why whole numbers are names of things, or nothing if they are quantities."""
    if pc.any(pc.match_substring_regex(column.cells, r"^0\d")).as_py():
        return "digits with leading zeros"
    if names.names_code(column.name) or names.names_entity(column.name):
        return "a code by its name"
    span = column.scan.high - column.scan.low + 1
    repeated = column.distinct >= span / 2 and column.distinct_share < 0.2
    if repeated and names.names_group(column.name) and column.distinct <= _MOST_GROUPS:
        return "a group by its name"
    if repeated and names.names_calendar(column.name) and column.distinct <= _MOST_CALENDAR:
        return "a part of the calendar by its name"
    if names.names_year(column.name):
        return ""
    if column.distinct <= _FEW_CODES and column.observed >= 20 * column.distinct:
        return "few whole numbers"
    return ""


def _choose_codes(column: Column, reason: str) -> Choice:
    """Codes are categories; as text, unless they are whole numbers without a gap."""
    why = ""
    if reason == "digits with leading zeros":
        why = "digits with leading zeros, which a number would lose"
    elif column.missing:
        why = "codes with missing values, which must not become 12.0"
    elif any("." in v or "e" in v.lower() for v in column.categories):
        why = "codes written with a decimal point"
    column_type: Guess[ColumnType] | None = Guess("string", why) if why else None
    choice = _choose_category(column, reason)
    return Choice(choice.feature, choice.why_not, choice.warning, column_type)


def _guess_scale(column: Column) -> Guess[Feature]:
    """`log` and `quantile` for tails that would leave all other values in a heap around zero."""
    skew = _skewness(column.numbers)
    tamed = _skewness(np.sign(column.numbers) * np.log1p(np.abs(column.numbers)))
    shown = f"{column.distinct:,} different numbers"
    if abs(skew) <= _LONG_TAIL:
        return Guess(Numeric(), shown)
    if column.scan.low >= 0 and abs(tamed) <= max(_LONG_TAIL, abs(skew) / 4):
        return Guess(
            Numeric(scale="log"),
            f"{shown} with a long tail: skewness {skew:.1f}, {tamed:.1f} after the logarithm",
        )
    if abs(skew) > _VERY_LONG_TAIL:
        return Guess(
            Numeric(scale="quantile"),
            f"{shown} with a very long tail: skewness {skew:.1f}, which no logarithm takes away",
        )
    return Guess(Numeric(), f"{shown}, skewness {skew:.1f}")


def _skewness(numbers: np.ndarray) -> float:
    deviations = numbers - numbers.mean()
    spread = np.sqrt((deviations**2).mean())
    return float((deviations**3).mean() / spread**3) if spread > 0 else 0.0


def _choose_text(column: Column) -> Choice:
    if column.is_mostly_numbers:
        return _numbers_as_text(column)
    words = _mean_words(column)
    if words >= _WORDS_OF_TEXT and column.distinct_share > 0.5:
        return Choice(Guess(Text(), f"{words:.0f} words on average, {_differing(column)}"))
    if _dressed(column) and column.distinct_share > 0.2 and column.distinct > 100:
        return Choice(
            None,
            "numbers with thousands separators or a unit, which are read as text",
            f"{column.name}: write its numbers plainly (1234.5) to use it",
        )
    if column.distinct_share > _NEARLY_ALL and column.observed >= _FEWEST_ROWS:
        differ = "all values differ" if column.distinct_share == 1 else _differing(column)
        return Choice(None, differ)
    return _choose_category(column, "text")


def _choose_category(column: Column, reason: str) -> Choice:
    shown = f"{reason}, {counted(column.distinct, 'different value')}"
    if column.distinct > HASHED_FROM:
        buckets = 1 << int(np.clip(np.ceil(np.log2(column.distinct / 2)), 12, 17))
        why = f"{shown}: too many for a vocabulary"
        return Choice(Guess(Hashed(buckets=buckets), why))
    if column.distinct_share > _NEARLY_ALL and column.observed >= _FEWEST_ROWS:
        return Choice(None, _differing(column))
    if len(column.categories) == 1:
        only = _shortened(column.categories[0])
        return Choice(Guess(Categorical(), f"always {only} or missing, which may tell something"))
    rare = int((column.counts == 1).sum())
    if column.distinct > 100 and rare > 0.1 * column.distinct:
        return Choice(Guess(Categorical(min_count=2), f"{shown}, {rare:,} of them seen only once"))
    return Choice(Guess(Categorical(), shown))


def _numbers_as_text(column: Column) -> Choice:
    """Numbers among which stands what the ExampleGen would refuse: read as text, the
    preprocessing makes numbers of them, and missing values of the rest."""
    odd = [_shortened(v) for v, _ in column.scan.odd.most_common(3)]
    why = f"numbers, but also {', '.join(odd)}" if odd else "numbers written as words are"
    return Choice(
        Guess(Numeric(), "what is no plain number counts as missing"),
        warning=f"{column.name}: {why}, taken for missing where it is no number",
        column_type=Guess("string", why),
    )


def _mean_words(column: Column) -> float:
    cells = column.cells.drop_null()[:20_000]
    return float(pc.mean(pc.count_substring_regex(cells, r"\S+")).as_py() or 0)


def _dressed(column: Column) -> bool:
    cells = column.cells.drop_null()[:20_000]
    return float(pc.mean(pc.match_substring_regex(cells, _DRESSED_NUMBER)).as_py() or 0) > 0.95


def _differing(column: Column) -> str:
    return f"{percent(column.distinct_share)} of the values differ"


def _shortened(text: str) -> str:
    return repr(re.sub(r"(.{30}).+", r"\1…", text, flags=re.DOTALL))
