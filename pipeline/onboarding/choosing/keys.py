"""Finds the column whose values own several rows each, such as customers.

Rows of one customer are alike. A model that has seen some of a customer's rows predicts the others
well, but not the rows of a new customer. So all of them must share a split.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.text import counted, percent
from pipeline.onboarding.choosing.agreement import Agreement, measure_agreement
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.name_hints import (
    is_entity_name,
    is_identifier_name,
    is_name_of_names,
)
from pipeline.onboarding.reading.columns import Column

_FEWEST_KEYS = 100
"""Different keys that a split by key needs: with fewer, the shares would be far off."""
_ROWS_A_KEY = 1.5
_RECURRING = 0.2
"""Rows per key, or share of the rows whose key has other rows, too, from which keys repeat so often
that a split by row would leak."""
_LARGEST_KEY = 0.05
"""Share of the rows with the most frequent key: one key must not be half of a test split."""
_MOST_MISSING_KEYS = 0.1
"""Share of rows without a key: ExampleGen puts all of them into the training split."""
_NEARLY_ALL = 0.98
"""Share of values that have the form of an address or of a UUID: a few may be mistyped."""
_FORMS = {
    "e-mail addresses": r"^\s*[^@\s]+@[^@\s]+\.[^@\s]+\s*$",
    "UUIDs": r"^\s*\{?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}?\s*$",
}
"""Values that identify someone or something, whatever the column is called."""
_CODE = r"^\s*[\w./-]*\d[\w./-]*\s*$"
"""One word with a digit."""
_MOST_ROWS_A_KEY = 20.0
"""Rows per value above which an identifier such as `product_id` names a category."""
_CERTAIN = 5.0
"""Standard errors by which labels must be more alike than by chance."""
_VERY_ALIKE = 0.2
"""Intraclass correlation from which an identifier is a key: a fifth of the label's variance."""
_ALIKE = 0.02
"""Intraclass correlation that is worth a sentence."""
_MOST_CELLS_TRIED = 20_000
"""Bounds the time of the regular expressions."""


def find_split_key(columns: Mapping[str, Column], label_column: str) -> Guess[str] | None:
    """Returns the column that identifies someone or something with several rows, or None.

    The name tells, or the form of the values, or that rows with the same number have like labels.

    If several columns do, returns the coarsest: all rows of a household share a split, and so do
    all rows of each of its members.
    """
    label = columns[label_column]
    reasons = {n: _explain_key(c, label) for n, c in columns.items() if n != label_column}
    keys = [name for name, reason in reasons.items() if reason]
    if not keys:
        return None
    finest = max(keys, key=lambda n: columns[n].distinct)
    enclosing = [n for n in keys if is_enclosed(columns[finest], columns[n])]
    name = min(enclosing, key=lambda n: columns[n].distinct)
    return Guess(name, reasons[name])


def describe_key(column: Column) -> str:
    """Says how often the values of a key repeat, and what becomes of rows without a key."""
    shown = f"{counted(column.distinct, 'different value')} in {counted(column.rows, 'row')}"
    if not column.missing:
        return shown
    return f"{shown}, of which {percent(column.missing / column.rows)} have none and go to train"


def has_repeated_keys(column: Column) -> bool:
    """Whether a split by this column is possible, and a split by row would leak."""
    if column.distinct < _FEWEST_KEYS or column.missing > _MOST_MISSING_KEYS * column.rows:
        return False
    in_sample = max(column.counts.sum(), 1)
    # A sample shows fewer repetitions than the table has, and the number of values is estimated.
    recurring = column.counts[column.counts > 1].sum() / in_sample
    if column.present < _ROWS_A_KEY * column.distinct and recurring < _RECURRING:
        return False
    return bool(column.counts.max() / in_sample <= _LARGEST_KEY)


def hint_at_keys(
    columns: Mapping[str, Column], label_column: str, considered: Sequence[str]
) -> dict[str, str]:
    """Returns a sentence on each column that may be a key, though nothing proves it."""
    label = columns[label_column]
    hints: dict[str, str] = {}
    for column in (columns[n] for n in considered):
        if not has_repeated_keys(column) or not _looks_like_keys(column):
            continue
        if is_worth_a_hint(measure_agreement(column, label)):
            hints[column.name] = (
                f"{column.name}: {describe_key(column)}, and rows with the same value have like "
                "labels; if new rows come with new values, the scores are too good: then use "
                f"`--key-column {shlex.quote(column.name)}`"
            )
    return hints


def is_worth_a_hint(agreement: Agreement) -> bool:
    """Whether the labels of rows with the same value are certainly alike, and not by a trifle."""
    return agreement.certainty >= _CERTAIN and agreement.correlation >= _ALIKE


def _explain_key(column: Column, label: Column) -> str:
    """Returns why the values own several rows each, or an empty string if they do not."""
    if not has_repeated_keys(column) or (column.is_number and not column.scan.is_integral):
        return ""
    if is_entity_name(column.name):
        return f"{describe_key(column)}: someone or something with several rows, by its name"
    if form := _find_form(column):
        return f"{describe_key(column)}, {form}"
    if not is_identifier_name(column.name) or column.present > _MOST_ROWS_A_KEY * column.distinct:
        return ""
    agreement = measure_agreement(column, label)
    if agreement.certainty < _CERTAIN or agreement.correlation < _VERY_ALIKE:
        return ""
    return f"{describe_key(column)}: rows with the same value have like labels"


def _looks_like_keys(column: Column) -> bool:
    """Whether the values are names, codes such as N14228, or numbers named as identifiers."""
    if column.is_number:
        return column.scan.is_integral and is_identifier_name(column.name)
    if is_name_of_names(column.name):
        return True
    values = pa.array(column.categories[:_MOST_CELLS_TRIED])
    return bool(pc.mean(pc.match_substring_regex(values, _CODE)).as_py() >= _NEARLY_ALL)


def _find_form(column: Column) -> str:
    """Returns what the values of a column of text are, if all of them identify someone."""
    if column.is_number:
        return ""
    values = column.cells.drop_null()[:_MOST_CELLS_TRIED]
    matching = (
        name
        for name, pattern in _FORMS.items()
        if pc.mean(pc.match_substring_regex(values, pattern)).as_py() >= _NEARLY_ALL
    )
    return next(matching, "")


def is_enclosed(fine: Column, coarse: Column) -> bool:
    """Whether each value of `fine` has rows with one value of `coarse` only."""
    # A missing value has the code -1, and so the last place.
    coarse_of = np.zeros(len(fine.categories) + 1, np.int64)
    coarse_of[fine.codes] = coarse.codes
    return bool((coarse_of[fine.codes] == coarse.codes).all())
