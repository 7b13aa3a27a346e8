"""The cells that stand for a missing value in this table.

A marker holds for the whole table, and one that is read as text costs nothing but a category;
so only those are proposed that stand among numbers, truth values or labels, where they would
otherwise turn a column into text, a missing value into `false`, or into a class of its own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from pipeline.onboarding.guess import Guess, counted
from pipeline.onboarding.scan import ColumnScan, Scan

TRUE_WORDS = frozenset(("true", "t", "yes", "y", "on"))
FALSE_WORDS = frozenset(("false", "f", "no", "n", "off"))

# Never a class of a label: whoever writes these means that there is none.
_CERTAIN = frozenset(
    ("na", "n/a", "#n/a", "<na>", "n.a.", "nan", "null", "(null)", "\\n", "nat", "?", "inf",
     "-inf", "infinity", "-infinity", "#value!", "#div/0!", "#ref!", "#null!", "#num!")
)  # fmt: skip
_LIKELY = _CERTAIN | frozenset(
    ("none", "nil", "-", "--", "---", ".", "..", "*", "missing", "unknown", "undefined", "empty",
     "not available", "not applicable", "n.d.", "nd", "tbd", "–", "—")
)  # fmt: skip
_FEW_KINDS = 3
_FEW_CELLS = 0.02


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
    found: Counter[str] = Counter()
    unusual: dict[str, str] = {}
    for name, column in scan.columns.items():
        if name == label and not _is_number_label(column):
            odd = {v: n for v, n in scan.labels.items() if v.lower() in _CERTAIN}
        else:
            odd = {v: column.odd[v] for v in _among_values(column)}
        found.update(odd)
        unusual |= {v: name for v in odd if v.lower() not in _LIKELY}
    classes = set() if _is_number_label(scan.columns[label]) else set(scan.labels)
    kept = [v for v, _ in found.most_common() if v.lower() in _CERTAIN or v not in classes]
    unusual = {v: name for v, name in unusual.items() if v in kept}
    return Markers(Guess(("", *(v for v in kept if v)), _reason(found, kept)), unusual)


def _is_number_label(column: ColumnScan) -> bool:
    return not column.is_text and column.numbers > sum(column.odd.values())


def _among_values(column: ColumnScan) -> list[str]:
    """The markers among the cells of a column that otherwise holds numbers or truth values."""
    if column.is_text or not column.odd:
        return []
    likely = [v for v in column.odd if v.lower() in _LIKELY]
    others = [v for v in column.odd if v not in likely]
    if not others:
        return likely if column.numbers > 1 else []
    if not column.numbers:
        return likely if {v.lower() for v in others} <= TRUE_WORDS | FALSE_WORDS else []
    rare = sum(column.odd[v] for v in others) <= _FEW_CELLS * column.numbers
    many_numbers = column.numbers > 50 and column.high - column.low > _FEW_KINDS
    return [*likely, *others] if rare and many_numbers and len(others) <= _FEW_KINDS else []


def _reason(found: Counter[str], kept: list[str]) -> str:
    if not kept:
        return "only empty cells; no other marker stands among numbers or labels"
    shown = ", ".join(f"{v!r} in {counted(found[v], 'cell')}" for v in kept[:3])
    return f"among numbers, truth values or labels: {shown}"
