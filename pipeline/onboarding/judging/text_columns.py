"""Columns of text, and of codes: categories, free text, or names that no two rows share."""

from __future__ import annotations

import re

import numpy as np
import pyarrow.compute as pc

from pipeline.config import Feature
from pipeline.config.sections.features import Categorical, Hashed, Numeric, Text
from pipeline.core.text import counted, percent
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.feature_choice import Choice
from pipeline.onboarding.reading.columns import Column

NEARLY_ALL = 0.95
FEWEST_ROWS = 10
"""Among fewer values it means nothing that all of them differ."""

_HASHED_FROM = 10_000
_MANY = 100
_ROWS_A_VALUE = 300
_ENOUGH_ROWS = 100
_KEPT = 0.25
_MOST_RARE = 0.1
_LOOKED_AT = 20_000
_WORDS_OF_TEXT = 4.0
_DRESSED_NUMBER = r"^\s*[$€£]?\s*[+-]?\d{1,3}([,.' ]?\d{3})*([.,]\d+)?\s*[%$€£]?\s*$"


def choose_text(column: Column) -> Choice:
    """Decides on a column whose values are not all numbers."""
    if column.is_mostly_numbers:
        return _numbers_as_text(column)
    words = _mean_words(column)
    if words >= _WORDS_OF_TEXT and column.distinct_share > 0.5:
        return Choice(Guess(Text(), f"{words:.0f} words on average, {differing(column)}"))
    if _is_dressed(column) and column.distinct_share > 0.2 and column.distinct > _MANY:
        return Choice(
            None,
            "numbers among which stand words, or other units and marks than in the rest",
            f"{column.name}: left out; write its numbers plainly (1234.5) to use it",
        )
    return choose_category(column, "text")


def choose_category(column: Column, reason: str) -> Choice:
    """Decides on a column whose values are names of things; `reason` says why they are."""
    if column.distinct_share > NEARLY_ALL and column.observed >= FEWEST_ROWS:
        return Choice(None, differing(column))
    shown = f"{reason}, {counted(column.distinct, 'different value')}"
    if column.distinct > _HASHED_FROM:
        buckets = 1 << int(np.clip(np.ceil(np.log2(column.distinct / 2)), 12, 17))
        return Choice(Guess(Hashed(buckets=buckets), f"{shown}: too many for a vocabulary"))
    if len(column.categories) == 1:
        only = shortened(column.categories[0])
        return Choice(Guess(Categorical(), f"always {only} or missing, which may tell something"))
    if column.distinct > _MANY:
        return Choice(_with_rare_ones(column, shown))
    return Choice(Guess(Categorical(), shown))


def _with_rare_ones(column: Column, shown: str) -> Guess[Feature]:
    """Values of few rows share what is learnt: a network learns them by heart, one by one.

    Of a column of hardly any others, the more frequent ones get a single number each.
    """
    wanted = int(np.clip(column.observed // _ROWS_A_VALUE, 2, _ENOUGH_ROWS))
    count = next((c for c in (wanted, 20, 10, 5) if c <= wanted and _share(column, c) >= _KEPT), 2)
    rare = int((column.counts < count).sum())
    if rare <= _MOST_RARE * column.distinct:
        return Guess(Categorical(), shown)
    why = f"{shown}, {rare:,} of them in fewer than {counted(count, 'row')}: learnt as one"
    width = None if count == wanted else 1
    return Guess(Categorical(min_count=count, embedding_dimension=width), why)


def _share(column: Column, count: int) -> float:
    """The share of the rows whose value is in at least so many."""
    kept = column.counts[column.counts >= count].sum()
    return float(kept / max(column.counts.sum(), 1))


def differing(column: Column) -> str:
    """How far the values differ from row to row."""
    share = column.distinct_share
    return "all values differ" if share == 1 else f"{percent(share)} of the values differ"


def shortened(text: str) -> str:
    """A value to be shown in a sentence."""
    return repr(re.sub(r"(.{30}).+", r"\1…", text, flags=re.DOTALL))


def _numbers_as_text(column: Column) -> Choice:
    """Numbers among which stands what the ExampleGen would refuse.

    Read as text, the preprocessing makes numbers of them, and missing values of the rest.
    """
    odd = [shortened(v) for v, _ in column.scan.odd.most_common(3)]
    why = f"numbers, but also {', '.join(odd)}" if odd else "numbers, but also words"
    return Choice(
        Guess(Numeric(), "what is no plain number counts as missing"),
        warning=f"{column.name}: {why}, taken for missing where it is no number",
        column_type=Guess("string", why),
    )


def _mean_words(column: Column) -> float:
    cells = column.cells.drop_null()[:_LOOKED_AT]
    return float(pc.mean(pc.count_substring_regex(cells, r"\S+")).as_py() or 0)


def _is_dressed(column: Column) -> bool:
    cells = column.cells.drop_null()[:_LOOKED_AT]
    return bool(pc.mean(pc.match_substring_regex(cells, _DRESSED_NUMBER)).as_py() > NEARLY_ALL)
