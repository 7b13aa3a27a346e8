"""The cells that stand for a missing value in this table.

A marker holds for the whole table, and one that is read as text costs nothing but a category;
so only those are proposed that stand among numbers, truth values or labels, where they would
otherwise turn a column into text, a missing value into `false`, or into a class of its own; and,
among other texts, those that nobody takes for a value, such as `?`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.onboarding.guess import Guess, counted
from pipeline.onboarding.scan import ColumnScan, Scan

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
     "not available", "not applicable", "n.d.", "nd", "tbd", "–", "—")
)  # fmt: skip
_FEW_KINDS = 3
_LONGEST = 32
_CODE = "^[A-Z]{2,4}$"
_FEW_CELLS = 0.02
_MANY_NUMBERS = 50


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
    return ({} if column.is_text else _among_values(column)) or (
        {} if _is_number(column) else _among_texts(scan.sample.column(name))
    )


def _is_number(column: ColumnScan) -> bool:
    return not column.is_text and column.numbers > sum(column.odd.values())


def _among_texts(cells: pa.ChunkedArray) -> dict[str, int]:
    """The markers among a column's texts, if there are others; what occurs once may be a name."""
    cells = cells.drop_null()
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
