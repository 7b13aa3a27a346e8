"""Decides on columns of numbers: quantities, coordinates, codes, or identifiers of rows."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pyarrow.compute as pc

from components.tables.casting import find_narrowest_type
from pipeline.config import ColumnType, Feature
from pipeline.config.sections.features import Numeric
from pipeline.core.text import percent
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging import name_hints
from pipeline.onboarding.judging.feature_choice import FeatureChoice
from pipeline.onboarding.judging.text_columns import (
    FEWEST_ROWS,
    MOSTLY_DISTINCT,
    choose_category_unless_identifier,
    describe_distinctness,
)
from pipeline.onboarding.reading.arrays import signed_log, skewness_of
from pipeline.onboarding.reading.columns import Column

_MOST_CODES = 10
"""Different whole numbers up to which any column is a category: ratings, numbers of rooms. A
category follows any dependence and costs little for so few values."""
_ROWS_A_CODE = 20
"""Rows per value that such a category needs: with fewer, the numbers' order is worth more."""
_MOST_GROUPS = 400
"""Different values of a column whose name means a group, such as `area`: more are a quantity."""
_MOST_CALENDAR_PARTS = 31
"""The days of a month; hours, weekdays and months are fewer. More values are a duration."""
_MOST_DISTINCT_SHARE = 0.2
"""Share of different values of groups and calendar parts: each occurs five times on average."""
_DENSE = 1.1
"""Range per row up to which different whole numbers count rows: a tenth may have been deleted."""
_ROWS_OF_SHUFFLED_NUMBERS = 100
"""Rows from which dense, different numbers in any order number the rows: among fewer, this happens
to quantities as well."""
_LONG_TAIL = 1.5
"""Skewness beyond which `log` is tried, three quarters of an exponential distribution's (2)."""
_TAMED = 4
"""The logarithm must bring the skewness below `_LONG_TAIL`, or at least down to a quarter."""
_NEARLY_ALL = 0.9
"""Share of numbers with a unit from which nobody doubts that the others have the same unit."""
_LEADING_ZEROS = "digits with leading zeros"
_WHOLE = re.compile(r"[+-]?\d+(\.0*)?")
_LARGEST_EXACT_IN_FLOAT64 = 2.0**53
"""float64 rounds larger whole numbers, so the ends of the column would be shown wrongly."""


def choose_number_feature(column: Column) -> FeatureChoice:
    """Decides on a column whose values are all numbers."""
    if is_coordinate(column):
        # Places nearby behave alike, which buckets without an order would not tell the model.
        return FeatureChoice(
            Guess(Numeric(), f"a coordinate, {column.distinct:,} different values")
        )
    if column.scan.is_integral:
        if reason := _explain_identifier(column):
            return FeatureChoice(None, reason)
        if reason := _explain_code(column):
            return _choose_codes(column, reason)
    return FeatureChoice(
        guess_scale(column),
        warning=_warn_of_missing_unit(column) or _warn_of_row_numbers(column),
        column_type=_choose_type(column),
    )


def _choose_type(column: Column) -> Guess[ColumnType] | None:
    """Returns a type only if type inference would take the numbers for codes: $007.5."""
    if not column.csv.units or find_narrowest_type(column.cells, column.csv) != "string":
        return None
    return Guess("float", "numbers with a unit, some with leading zeros")


def _warn_of_missing_unit(column: Column) -> str:
    """Says that numbers without a unit are taken for numbers of the unit that others have."""
    unit = "|".join(map(re.escape, column.csv.units))
    if not unit:
        return ""
    cells = column.cells.drop_null()
    with_unit = cells.filter(pc.match_substring_regex(cells, rf"^[+-]?(?:{unit})|(?:{unit})$"))
    share = len(with_unit) / max(len(cells), 1)
    if not len(with_unit) or share > _NEARLY_ALL:
        return ""
    return (
        f"{column.name}: {percent(share)} of the numbers have a unit, such as "
        f"{with_unit[0].as_py()!r}; check that the other numbers have the same unit"
    )


def _warn_of_row_numbers(column: Column) -> str:
    """Says that numbers may count the rows, though some are missing in between."""
    is_long = column.rows > _ROWS_OF_SHUFFLED_NUMBERS
    if not (is_long and column.distinct_share == 1 and column.scan.is_integral):
        return ""
    if not (np.diff(column.numbers) > 0).all():
        return ""
    return (
        f"{column.name}: each row has a larger number than the row before; if this numbers the "
        f"rows, leave it out with `--exclude {shlex.quote(column.name)}`"
    )


def is_coordinate(column: Column) -> bool:
    """Whether the name means a coordinate, and all values can be degrees.

    The name decides only for whole degrees, which could be codes, and for skewed degrees, which
    could get the scale `log`. Any other column of fractions is a number anyway. The values alone
    cannot decide: shares, prices and sizes have as many decimals and lie in the same range.
    """
    named = name_hints.read_coordinate(column.name)
    return named is not None and max(-column.scan.low, column.scan.high) <= named.limit


def _explain_identifier(column: Column) -> str:
    """Returns why whole numbers identify or number the rows, or an empty string if they do not."""
    if column.distinct_share < MOSTLY_DISTINCT or column.present < FEWEST_ROWS:
        return ""
    if name_hints.is_identifier_name(column.name):
        return describe_distinctness(column)
    steps = np.diff(column.numbers)
    is_sorted = bool((steps > 0).all()) or bool((steps < 0).all())
    is_dense = column.scan.high - column.scan.low < _DENSE * column.rows
    is_long = column.rows > _ROWS_OF_SHUFFLED_NUMBERS
    if column.distinct_share == 1 and is_dense and (is_sorted or is_long):
        low, high = column.scan.low, column.scan.high
        if max(-low, high) > _LARGEST_EXACT_IN_FLOAT64:
            return "all values differ, consecutive numbers"
        return f"all values differ, numbers from {low:.0f} to {high:.0f}"
    return ""


def _explain_code(column: Column) -> str:
    """Returns why whole numbers are codes, or an empty string if they are quantities."""
    if pc.any(pc.match_substring_regex(column.cells, r"^0\d")).as_py():
        return _LEADING_ZEROS
    if name_hints.is_code_name(column.name) or name_hints.is_entity_name(column.name):
        return "a code by its name"
    if name_hints.is_year_name(column.name):
        return ""
    span = column.scan.high - column.scan.low + 1
    is_dense = column.distinct >= span / 2 and column.distinct_share < _MOST_DISTINCT_SHARE
    if is_dense and name_hints.is_group_name(column.name) and column.distinct <= _MOST_GROUPS:
        return "a group by its name"
    is_short = column.distinct <= _MOST_CALENDAR_PARTS
    if is_dense and is_short and name_hints.is_calendar_name(column.name):
        return "part of a date by its name"
    if column.distinct <= _MOST_CODES and column.present >= _ROWS_A_CODE * column.distinct:
        return "few whole numbers"
    return ""


def _choose_codes(column: Column, reason: str) -> FeatureChoice:
    """Makes codes a category, with a type by which equal codes are one category."""
    choice = choose_category_unless_identifier(column, reason)
    column_type = _guess_type(column, reason)
    return FeatureChoice(choice.feature, choice.why_not, choice.warning, column_type)


def _guess_type(column: Column, reason: str) -> Guess[ColumnType] | None:
    """Returns the type of codes; None if later tables will have whole numbers again."""
    if reason == _LEADING_ZEROS:
        return Guess("string", "a number would lose the leading zeros")
    if not all(_WHOLE.fullmatch(value) for value in column.categories):
        return Guess("string", "codes written as fractions are")
    if any("." in value for value in column.categories):
        return Guess("int", "codes written with a decimal point: 5.0 and 5 are the same")
    if column.missing:
        return Guess("int", "codes with missing values: many programs write 5 as 5.0 then")
    return None


def guess_scale(column: Column) -> Guess[Feature]:
    """Returns a numeric feature, with scale `log` for long tails.

    Without `log`, a long tail would squeeze all other values together near zero. The scale
    `quantile` is not proposed: it removes how far out a value lies. The bins of
    `model.numeric_bins` tell the squeezed values apart anyway, since their edges are quantiles.
    """
    numbers = column.numbers
    skew = skewness_of(numbers)
    log_skew = skewness_of(signed_log(numbers))
    shown = f"{column.distinct:,} different numbers"
    if abs(skew) <= _LONG_TAIL:
        return Guess(Numeric(), shown)
    if column.scan.low >= 0 and abs(log_skew) <= max(_LONG_TAIL, abs(skew) / _TAMED):
        why = f"{shown}, long-tailed: skewness {skew:.1f}, after the logarithm {log_skew:.1f}"
        return Guess(Numeric(scale="log"), why)
    return Guess(Numeric(), f"{shown}, skewness {skew:.1f}")
