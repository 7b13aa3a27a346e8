"""Decides on columns of text and of codes: categories, free text, or identifiers."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.config import Feature
from pipeline.config.sections.features import Categorical, Hashed, Numeric
from pipeline.core.text import counted, percent
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.feature_choice import FeatureChoice
from pipeline.onboarding.judging.text_settings import propose_text
from pipeline.onboarding.reading.amounts import are_amounts
from pipeline.onboarding.reading.columns import Column

MOSTLY_DISTINCT = 0.95
"""Share of different values from which a column names its rows: in new rows, nearly all values
would be unknown to the model."""
FEWEST_ROWS = 10
"""With fewer values, it means nothing that all of them differ."""

_FEWEST_HASHED = 10_000
"""Different values from which hashing replaces the vocabulary: bounds the vocabulary and the
embedding table."""
_FEWEST_BUCKETS_LOG2 = 12
_MOST_BUCKETS_LOG2 = 17
"""4,096 to 131,072 hash buckets, about half as many as values: the upper end bounds the embedding
table."""
_MANY_VALUES = 100
"""Different values up to which a column is a category without merging rare values."""
_ROWS_A_MIN_COUNT = 300
"""One three-hundredth of the rows is the proposed `min_count`: 100 rows in tables of 30,000."""
_MOST_MIN_COUNT = 100
"""Merging values of fewer than 100 rows lowered the eval loss: docs/quality.md, table late."""
_SMALLER_MIN_COUNTS = (20, 10, 5)
"""Tried if `min_count` would merge nearly all rows into one value."""
_SMALLEST_KEPT_SHARE = 0.25
"""Share of the rows whose value must survive merging: with less, the column would tell little."""
_FEW_RARE = 0.1
"""Share of rare values up to which they are not merged: there is hardly anything to gain."""
_MOST_CELLS_LOOKED_AT = 20_000
"""Bounds the time that regular expressions take."""
_FEWEST_WORDS_OF_TEXT = 4.0
"""Words per cell from which a column is free text: names and categories are mostly shorter."""
_FEWEST_WORDS_OF_TITLE = 1.5
"""Words per cell from which many different values may be titles or addresses: as categories they
would be learned by heart, their words are shared with other rows."""
_FEWEST_VALUES_A_WORD = 5
"""Different values that a recurring word is in."""
_MOSTLY_RECURRING = 0.5
"""Share of words that must recur in titles, so that `12.5 km`, half of which recurs, is none."""
_MOSTLY_DISTINCT_TEXT = 0.5
"""Share of different values of free text. A sentence that recurs more often is a category."""
_FEWEST_DISTINCT_NUMBERS = 0.2
"""Share of different values from which cells with units are measured numbers. Recurring ones are
more likely categories, such as sizes."""
_ROOM = 1.5
"""In a split by time, split train may hold all cells that are no numbers, but only 70 % of the
rows."""
_SPARE = 0.02
"""Added to the share of such cells, for a split of a few rows."""
_MOST_SHOWN = 2
"""Cells that a warning quotes, so that it stays one line."""


def choose_text_feature(column: Column, outputs: int = 1) -> FeatureChoice:
    """Decides on a column whose values are not all numbers.

    `outputs` is the number of the model's outputs: see `propose_text`.
    """
    if column.is_mostly_numbers:
        return _choose_mixed_numbers(column)
    if _has_many_values(column) and are_amounts(column.cells):
        return _leave_out_amounts(column)
    words = _mean_word_count(column)
    if words >= _FEWEST_WORDS_OF_TEXT and column.distinct_share > _MOSTLY_DISTINCT_TEXT:
        why = f"{words:.0f} words on average, {describe_distinctness(column)}"
        return FeatureChoice(Guess(propose_text(column, outputs), why))
    if (
        words >= _FEWEST_WORDS_OF_TITLE
        and _has_many_titles(column)
        and _have_recurring_words(column)
    ):
        why = f"{words:.1f} words on average, most words recur, {describe_distinctness(column)}"
        return FeatureChoice(Guess(propose_text(column, outputs), why))
    return replace(choose_category_unless_identifier(column, "text"), is_spelled=True)


def choose_category_unless_identifier(column: Column, reason: str) -> FeatureChoice:
    """Makes a column a category, or leaves it out if nearly all of its values differ.

    `reason` says why the values are categories.
    """
    if column.distinct_share > MOSTLY_DISTINCT and column.present >= FEWEST_ROWS:
        return FeatureChoice(None, describe_distinctness(column))
    shown = f"{reason}, {counted(column.distinct, 'different value')}"
    if column.distinct > _FEWEST_HASHED:
        wanted = np.ceil(np.log2(column.distinct / 2))
        buckets = 1 << int(np.clip(wanted, _FEWEST_BUCKETS_LOG2, _MOST_BUCKETS_LOG2))
        return FeatureChoice(Guess(Hashed(buckets=buckets), f"{shown}: too many for a vocabulary"))
    if len(column.categories) == 1:
        only = quote_shortened(column.categories[0])
        why = f"always {only} or missing; the gaps may be informative"
        return FeatureChoice(Guess(Categorical(), why))
    if column.distinct > _MANY_VALUES:
        return FeatureChoice(_guess_categorical(column, shown))
    return FeatureChoice(Guess(Categorical(), shown))


def _guess_categorical(column: Column, shown: str) -> Guess[Feature]:
    """Merges values of few rows, since a network would memorise them one by one.

    If nearly all rows have such a value, a smaller `min_count` keeps the more frequent values, and
    an embedding of width 1 leaves little to memorise.
    """
    wanted = int(np.clip(column.present // _ROWS_A_MIN_COUNT, 2, _MOST_MIN_COUNT))
    tried = (c for c in (wanted, *_SMALLER_MIN_COUNTS) if c <= wanted)
    count = next((c for c in tried if _kept_share(column, c) >= _SMALLEST_KEPT_SHARE), 2)
    rare = int((column.counts < count).sum())
    if rare <= _FEW_RARE * column.distinct:
        return Guess(Categorical(), shown)
    why = f"{shown}; the {rare:,} with fewer than {counted(count, 'row')} are merged into one"
    width = None if count == wanted else 1
    return Guess(Categorical(min_count=count, embedding_dimension=width), why)


def _kept_share(column: Column, count: int) -> float:
    """Returns the share of rows whose value occurs at least `count` times."""
    kept = column.counts[column.counts >= count].sum()
    return float(kept / max(column.counts.sum(), 1))


def describe_distinctness(column: Column) -> str:
    """Says how many of the column's values differ."""
    share = column.distinct_share
    return "all values differ" if share == 1 else f"{percent(share)} of the values differ"


def quote_shortened(text: str) -> str:
    """Quotes a value and cuts it after 30 characters, so that it fits into a sentence."""
    return repr(re.sub(r"(.{30}).+", r"\1…", text, flags=re.DOTALL))


def _choose_mixed_numbers(column: Column) -> FeatureChoice:
    """Decides on numbers among cells that ExampleGen would refuse.

    The column is read as text. Transform parses the numbers and takes the other cells for missing.
    It refuses a column with more of them than `max_unreadable`.
    """
    share = len(column.words) / len(column.cells.drop_null())
    allowed = _ROOM * share + _SPARE
    if allowed > Numeric().max_unreadable and _are_amounts_of_another_form(column.words):
        return _leave_out_amounts(column)
    feature = Numeric()
    if allowed > feature.max_unreadable:
        feature = Numeric(max_unreadable=min(1.0, math.ceil(100 * allowed) / 100))
    why = f"numbers, but also {_quote_most_common(column.words)}" if share else "numbers"
    lost = f"{percent(share)} of the values are no plain numbers and count as missing"
    advice = "store the column as numbers and nulls"
    if column.is_csv:
        advice = "if they mean missing, add them to data.csv.missing"
    return FeatureChoice(
        Guess(feature, lost),
        warning=f"{column.name}: {why}; {lost}; {advice}",
        column_type=Guess("string", why),
    )


def _are_amounts_of_another_form(words: pa.Array) -> bool:
    """Whether most of the cells have digits: to count them as missing would lose numbers."""
    return bool(pc.mean(pc.match_substring_regex(words, r"\d")).as_py() > 0.5)


def _leave_out_amounts(column: Column) -> FeatureChoice:
    unread = column.cells.filter(pa.array(np.isnan(column.values))).drop_null()
    with_digits = unread.filter(pc.match_substring_regex(unread, r"\d"))
    shown = next(cells for cells in (with_digits, unread, column.cells.drop_null()) if len(cells))
    why = f"numbers among cells that cannot be read as one, such as {_quote_most_common(shown)}"
    advice = "write all numbers plainly and in one unit (1234.5)"
    if column.is_csv:
        advice += (
            ", or set data.csv.units, data.csv.thousands, data.csv.decimal or data.csv.missing to "
            "how its cells are written"
        )
    return FeatureChoice(None, why, f"{column.name}: left out, {why}; to use it, {advice}")


def _quote_most_common(cells: pa.Array) -> str:
    counts = pc.value_counts(cells).to_pylist()
    most = sorted(counts, key=lambda c: -c["counts"])[:_MOST_SHOWN]
    return ", ".join(quote_shortened(c["values"]) for c in most)


def _has_many_values(column: Column) -> bool:
    """Whether the values are too many for categories, if they are numbers."""
    is_varied = column.distinct_share > _FEWEST_DISTINCT_NUMBERS and column.distinct > _MANY_VALUES
    return is_varied or column.distinct_share > MOSTLY_DISTINCT


def _has_many_titles(column: Column) -> bool:
    """Whether the values are too many for categories."""
    is_mostly_new = column.distinct_share > _MOSTLY_DISTINCT_TEXT
    return column.distinct > _FEWEST_HASHED or (is_mostly_new and column.distinct > _MANY_VALUES)


def _have_recurring_words(column: Column) -> bool:
    """Whether most words of the values occur in several values, as those of titles do."""
    values = pa.array(column.categories[:_MOST_CELLS_LOOKED_AT])
    words = pc.utf8_split_whitespace(pc.utf8_lower(values)).flatten()
    counts = pc.value_counts(words.filter(pc.match_substring_regex(words, r"\pL"))).field(1)
    recurring = counts.filter(pc.greater_equal(counts, _FEWEST_VALUES_A_WORD))
    return (pc.sum(recurring).as_py() or 0) > _MOSTLY_RECURRING * len(words)


def _mean_word_count(column: Column) -> float:
    cells = column.cells.drop_null()[:_MOST_CELLS_LOOKED_AT]
    return float(pc.mean(pc.count_substring_regex(cells, r"\S+")).as_py() or 0)
