"""The cells that stand for a missing value in this table.

A marker holds for the whole table, and one that is read as text costs nothing but a category;
so only those are proposed that stand among numbers, truth values or labels, where they would
otherwise turn a column into text, a missing value into `false`, or into a class of its own; those
among dates; and, among other texts, those that nobody takes for a value, such as `?`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.text import counted
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.reading.dates import is_written_as_date
from pipeline.onboarding.reading.scan import ColumnScan, Scan

TRUE_WORDS = frozenset(("true", "t", "yes", "y", "on"))
FALSE_WORDS = frozenset(("false", "f", "no", "n", "off"))

# Never a class of a label: whoever writes these means that there is none.
_CERTAIN = frozenset(
    ("na", "n/a", "#n/a", "<na>", "n.a.", "nan", "null", "(null)", "\\n", "nat", "?", "inf",
     "-inf", "infinity", "-infinity", "#value!", "#div/0!", "#ref!", "#null!", "#num!")
)  # fmt: skip
# Among texts, as programs write them: Nan and Null are names, and Infinity is a film.
_WRITTEN_BY_PROGRAMS = (
    "NA", "N/A", "n/a", "#N/A", "<NA>", "n.a.", "NaN", "nan", "NULL", "null", "(null)", "\\N", "?",
)  # fmt: skip
LIKELY_MARKERS = _CERTAIN | frozenset(
    ("none", "nil", "-", "--", "---", ".", "..", "*", "missing", "unknown", "undefined", "empty",
     "not available", "not applicable", "n.d.", "nd", "tbd", "–", "—",
     "k.a.", "k. a.", "keine angabe", "unbekannt", "inconnu", "desconocido", "s/d", "sconosciuto",
     "onbekend", "nieznane", "brak")
)  # fmt: skip
_FEW_KINDS = 3
_LONGEST = 32
_CODE = "^[A-Z]{2,4}$"
_FEW_CELLS = 0.02
_MANY_NUMBERS = 50
_GLANCE = 1000
_MOSTLY_DATES = 0.5
_MANY_DATES = 20
_WORD = re.compile(r"\D*[^\W\d_]\D*")


@dataclass(frozen=True)
class Markers:
    """The markers, and which columns of numbers they were found in."""

    missing: Guess[tuple[str, ...]]
    unusual: dict[str, str]
    """Markers that are words of their own making, each with the column it stands in."""


NO_MARKERS = Markers(Guess((), "the files say themselves what is missing"), {})
"""Of Parquet, where a cell is null and not marked."""


def choose_markers(scan: Scan, label: str) -> Markers:
    """The texts to be read as missing; the empty cell is always one of them."""
    by_column = {n: _in_column(n, scan) for n in scan.columns if n != label}
    by_column[label], classes = _in_label(scan, label)
    found: Counter[str] = Counter()
    unusual: dict[str, str] = {}
    for name, words in by_column.items():
        kept = {w: n for w, n in words.items() if w and w not in classes}
        found.update(kept)
        unusual |= {w: name for w in kept if w.lower() not in LIKELY_MARKERS}
    return Markers(Guess(("", *(w for w, _ in found.most_common())), _reason(found)), unusual)


def _in_label(scan: Scan, label: str) -> tuple[dict[str, int], set[str]]:
    """The markers among the label's values, and the values that are classes."""
    column = scan.columns[label]
    if _is_number(column):
        return _among_values(column), set()
    marked = {v: n for v, n in scan.labels.items() if v.lower() in _CERTAIN}
    classes = set(scan.labels) - set(marked)
    # NA beside EU alone is North America: a label of one class is not what anybody means.
    return ({}, set(scan.labels)) if len(classes) == 1 else (marked, classes)


def _in_column(name: str, scan: Scan) -> dict[str, int]:
    """The markers among the cells of a column that is not the label."""
    column = scan.columns[name]
    found = {} if column.is_text else _among_values(column)
    if found or _is_number(column):
        return found
    cells = scan.sample.column(name).drop_null()
    found = _among_dates(cells) if _are_mostly_dates(cells) else {}
    kept = {w: n for w, n in found.items() if not _is_value_elsewhere(w, scan)}
    return kept or _among_texts(cells)


def _is_number(column: ColumnScan) -> bool:
    return not column.is_text and column.numbers > sum(column.odd.values())


def _are_mostly_dates(cells: pa.ChunkedArray) -> bool:
    """By some from all over the table: to look at every cell of every column takes its time."""
    if not len(cells):
        return False
    some = np.linspace(0, len(cells) - 1, min(_GLANCE, len(cells))).astype(np.int64)
    return bool(pc.mean(is_written_as_date(cells.take(pa.array(some)))).as_py() > _MOSTLY_DATES)


def _among_dates(cells: pa.ChunkedArray) -> dict[str, int]:
    """The markers in a column of dates: the usual ones, and a single word of any language."""
    dates = is_written_as_date(cells)
    odd = pc.value_counts(pc.utf8_trim_whitespace(cells.filter(pc.invert(dates))))
    found = dict(zip(odd.field(0).to_pylist(), odd.field(1).to_pylist(), strict=True))
    unusual = [w for w in found if w and w.lower() not in LIKELY_MARKERS]
    are_words = all(len(w) <= _LONGEST and _WORD.fullmatch(w) for w in unusual)
    is_sure = len(unusual) <= 1 and are_words and pc.sum(dates).as_py() >= _MANY_DATES
    return found if is_sure else {}


def _is_value_elsewhere(word: str, scan: Scan) -> bool:
    """Whether a word that is no usual marker stands among the values of a column of texts."""
    texts = (scan.sample.column(n) for n, c in scan.columns.items() if not _is_number(c))
    return word.lower() not in LIKELY_MARKERS and any(
        pc.any(pc.equal(cells, word)).as_py() and not _are_mostly_dates(cells.drop_null())
        for cells in texts
    )


def _among_texts(cells: pa.ChunkedArray) -> dict[str, int]:
    """The markers among a column's texts, if there are others; what occurs once may be a name."""
    is_marker = pc.is_in(cells, pa.array(_WRITTEN_BY_PROGRAMS))
    others = cells.filter(pc.invert(is_marker))
    if len(others) in (0, len(cells)):
        return {}
    counts = pc.value_counts(cells.filter(is_marker))
    found = dict(zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True))
    if pc.any(pc.match_substring_regex(others, _CODE)).as_py():
        # NA beside EU is North America.
        found.pop("NA", None)
    return {word: n for word, n in found.items() if n > 1}


def _among_values(column: ColumnScan) -> dict[str, int]:
    """The markers among the cells of a column that otherwise holds numbers or truth values."""
    likely = {v: n for v, n in column.odd.items() if v.lower() in LIKELY_MARKERS}
    others = {v: n for v, n in column.odd.items() if v not in likely}
    if not others:
        return likely if column.numbers > 1 else {}
    if not column.numbers:
        return likely if {v.lower() for v in others} <= TRUE_WORDS | FALSE_WORDS else {}
    few = len(others) <= _FEW_KINDS and all(len(v) <= _LONGEST for v in others)
    rare = few and sum(others.values()) <= _FEW_CELLS * column.numbers
    many = column.numbers > _MANY_NUMBERS and column.high - column.low > _FEW_KINDS
    return dict(column.odd) if rare and many else {}


def _reason(found: Counter[str]) -> str:
    if not found:
        return "only empty cells; no other marker was found"
    shown = ", ".join(f"{word!r} in {counted(n, 'cell')}" for word, n in found.most_common(3))
    return f"among other values: {shown}"
