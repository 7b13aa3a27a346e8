"""Columns of numbers: quantities to scale, coordinates, codes, or only the rows' own numbers."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from pipeline.config import ColumnType, Feature
from pipeline.config.sections.features import Bucketized, Numeric
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging import name_hints
from pipeline.onboarding.judging.feature_choice import Choice
from pipeline.onboarding.judging.text_columns import (
    FEWEST_ROWS,
    NEARLY_ALL,
    choose_category,
    differing,
)
from pipeline.onboarding.reading.arrays import signed_log, skewness_of
from pipeline.onboarding.reading.columns import Column

_FEW_CODES = 10
_ROWS_A_CODE = 20
_MOST_GROUPS = 400
_MOST_CALENDAR = 31
_REPEATED = 0.2
_ROWS_A_BUCKET = 100
_LONG_TAIL = 1.5
_LEADING_ZEROS = "digits with leading zeros"
_MOST_EXACT = 2.0**53
"""Beyond, the ends of a column are known only about."""


def choose_number(column: Column) -> Choice:
    """Decides on a column whose values are all numbers."""
    if column.scan.integral:
        if reason := _row_number(column):
            return Choice(None, reason)
        if reason := _code(column):
            return _choose_codes(column, reason)
    limit = name_hints.coordinate_limit(column.name)
    if limit and -limit <= column.scan.low and column.scan.high <= limit and column.distinct > 20:
        buckets = int(np.clip(column.observed // _ROWS_A_BUCKET, 5, 50))
        return Choice(Guess(Bucketized(buckets=buckets), "a coordinate: near places act alike"))
    return Choice(_guess_scale(column))


def _row_number(column: Column) -> str:
    """Why whole numbers are only the rows' own numbers, or nothing if they are not."""
    if column.distinct_share < NEARLY_ALL or column.observed < FEWEST_ROWS:
        return ""
    if name_hints.names_identifier(column.name):
        return differing(column)
    steps = np.diff(column.numbers)
    counts_up = bool((steps > 0).all()) or bool((steps < 0).all())
    dense = column.scan.high - column.scan.low < 1.1 * column.rows
    if column.distinct_share == 1 and dense and (counts_up or column.rows > 100):
        low, high = column.scan.low, column.scan.high
        if max(-low, high) > _MOST_EXACT:
            return "all values differ, one number after the other"
        return f"all values differ: a number from {low:.0f} to {high:.0f}"
    return ""


def _code(column: Column) -> str:
    """Why whole numbers are names of things, or nothing if they are quantities."""
    if pc.any(pc.match_substring_regex(column.cells, r"^0\d")).as_py():
        return _LEADING_ZEROS
    if name_hints.names_code(column.name) or name_hints.names_entity(column.name):
        return "a code by its name"
    if name_hints.names_year(column.name):
        return ""
    span = column.scan.high - column.scan.low + 1
    repeated = column.distinct >= span / 2 and column.distinct_share < _REPEATED
    if repeated and name_hints.names_group(column.name) and column.distinct <= _MOST_GROUPS:
        return "a group by its name"
    if repeated and name_hints.names_calendar(column.name) and column.distinct <= _MOST_CALENDAR:
        return "a part of the calendar by its name"
    if column.distinct <= _FEW_CODES and column.observed >= _ROWS_A_CODE * column.distinct:
        return "few whole numbers"
    return ""


def _choose_codes(column: Column, reason: str) -> Choice:
    """Codes are categories; as text, unless they are whole numbers without a gap."""
    why = ""
    if reason == _LEADING_ZEROS:
        why = "digits with leading zeros, which a number would lose"
    elif column.missing:
        why = "codes with missing values, which must not become 12.0"
    elif any("." in v or "e" in v.lower() for v in column.categories):
        why = "codes written with a decimal point"
    column_type: Guess[ColumnType] | None = Guess("string", why) if why else None
    choice = choose_category(column, reason)
    return Choice(choice.feature, choice.why_not, choice.warning, column_type)


def _guess_scale(column: Column) -> Guess[Feature]:
    """`log` for tails that would leave all other values in a heap around zero.

    Not `quantile` for the others: it takes away how far out a value lies, and the bins of
    `model.numeric_bins`, whose edges are quantiles, tell the values in the heap apart anyway.
    """
    numbers = column.numbers
    skew = skewness_of(numbers)
    tamed = skewness_of(signed_log(numbers))
    shown = f"{column.distinct:,} different numbers"
    if abs(skew) <= _LONG_TAIL:
        return Guess(Numeric(), shown)
    if column.scan.low >= 0 and abs(tamed) <= max(_LONG_TAIL, abs(skew) / 4):
        why = f"a long tail: skewness {skew:.1f}, {tamed:.1f} after the logarithm"
        return Guess(Numeric(scale="log"), f"{shown} with {why}")
    return Guess(Numeric(), f"{shown}, skewness {skew:.1f}")
