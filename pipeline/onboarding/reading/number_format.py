"""Finds out how a table writes its numbers, and whether its first row is data, not a header.

Each combination of decimal mark and thousands separator is tried, and the one that makes numbers
of the most columns wins. `1.234` can be a little more than one, or more than a thousand: the other
cells of its column decide.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args

from components.tables.numerals import BLANKS
from pipeline.config import CsvConfig
from pipeline.config.sections.data import DecimalMark, ThousandsSeparator
from pipeline.core.text import counted
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.reading.missing_markers import LIKELY_MARKERS
from pipeline.onboarding.reading.units import UnitCells, find_unit

Cells = Sequence[str]
"""The non-empty cells of a column, without surrounding blanks."""


class Marks(NamedTuple):
    """The decimal mark and the thousands separator."""

    decimal: DecimalMark
    thousands: ThousandsSeparator

    def to_pattern(self) -> str:
        group = f"[{BLANKS}]" if self.thousands == " " else re.escape(self.thousands)
        whole = rf"[1-9]\d{{0,2}}(?:{group}\d{{3}})+|\d*" if self.thousands else r"\d*"
        return rf"[+-]?(?:{whole})(?:{re.escape(self.decimal)}\d*)?(?:[eE][+-]?\d+)?"


@dataclass(frozen=True)
class NumberFormat:
    """How numbers are written."""

    decimal: Guess[DecimalMark]
    thousands: Guess[ThousandsSeparator]
    units: Guess[tuple[str, ...]]


_ALL_MARKS = tuple(
    Marks(decimal, thousands)
    for thousands in get_args(ThousandsSeparator)
    for decimal in get_args(DecimalMark)
    if decimal != thousands
)
"""In the order of preference: of combinations with equal votes, the first wins."""
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INTEGER = re.compile(r"[+-]?\d+")
_ONE_GROUP = re.compile(rf"[+-]?[1-9]\d{{0,2}}([.,'{BLANKS}])\d{{3}}")
_MOST = 0.6
"""Share of cells that must be numbers for a column to have a say: a majority, since some of the
other cells may be markers of missing values that `LIKELY_MARKERS` does not list."""
_NEARLY_ALL = 0.9
"""Share of cells that are plain numbers below a header: a tenth is left for markers of missing
values and for rare exceptions."""
_LIKELY = 0.5
_UNLIKELY = 0.25
"""Weights of an ambiguous column such as 1.234: half a vote for the likelier reading and a quarter
for the other, so that any column without a choice (weight 1) outvotes it."""
_FEW_WORDS = 0.2
"""Different words per cell up to which a column has few words, each of them seen five times or
more on average: only there does a word that occurs once, in the first row, look like a header."""
_MOST_TRIED = 200
"""Cells of each column that are tried, of those with more than digits: bounds the time on wide
tables."""
_LONGEST_TRIED = 20
"""Longest numbers that are tried, too: thousands separators may be rare, and not among the first
cells."""
_DIGITS_AND_MARKS = re.compile(rf"[+-]?[\d.,'{BLANKS}]+")


def guess_number_format(records: Sequence[Sequence[str]], delimiter: str) -> NumberFormat:
    """Returns the number format of `records`; the first record is taken for a header."""
    columns = [
        [c for c in cells if c.lower() not in LIKELY_MARKERS] for cells in _transpose(records)
    ]
    units = [find_unit(cells) for cells in columns]
    bare = [_remove(u.unit, c) if u else c for u, c in zip(units, columns, strict=True)]
    votes = [_rate_marks(cells, delimiter) for cells in bare]
    marks = max(_ALL_MARKS, key=lambda m: sum(vote.get(m, 0) for vote in votes))
    voters = sum(marks in vote for vote in votes)
    return NumberFormat(
        *_explain_marks(marks, voters, len(columns), delimiter),
        _choose_units([u for u in units if u], marks),
    )


def is_header_missing(records: Sequence[Sequence[str]]) -> bool:
    """Whether the first record looks like a data row.

    It does if it has numbers in the columns of numbers, and known words in columns of few words.
    """
    if len(records) < 2:
        return False
    pairs = zip(records[0], _transpose(records), strict=True)
    verdicts = [_fits_column(cell.strip(), cells) for cell, cells in pairs]
    return any(verdicts) and False not in verdicts


def _fits_column(cell: str, cells: Cells) -> bool | None:
    """Whether `cell` could be one more cell of a column; None if that cannot be told."""
    if not cell or not cells or cell.lower() in LIKELY_MARKERS:
        return None
    if _share(_PLAIN, cells) > _NEARLY_ALL:
        return bool(_PLAIN.fullmatch(cell))
    words = set(cells)
    return cell in words if len(words) <= _FEW_WORDS * len(cells) else None


def _transpose(records: Sequence[Sequence[str]]) -> list[Cells]:
    """Returns the columns below the first record, of the records that are as wide."""
    rows = [r for r in records[1:] if len(r) == len(records[0])]
    columns = zip(*rows, strict=True) if rows else ((),) * len(records[0] if records else ())
    return [[c.strip() for c in column if c.strip()] for column in columns]


def _remove(unit: str, cells: Cells) -> Cells:
    around = re.compile(
        rf"(?<=[-+]){re.escape(unit)}\s*|^{re.escape(unit)}\s*|\s*{re.escape(unit)}$"
    )
    return [around.sub("", cell) for cell in cells]


def _rate_marks(cells: Cells, delimiter: str) -> dict[Marks, float]:
    """Returns the weight of each combination of marks that makes numbers of the column.

    The weight is the share of cells with more than digits that become numbers, and less if several
    combinations are possible.
    """
    marked = [cell for cell in cells if not _INTEGER.fullmatch(cell)]
    digits = len(cells) - len(marked)
    rest = [cell for cell in marked[_MOST_TRIED:] if _DIGITS_AND_MARKS.fullmatch(cell)]
    tried = [*marked[:_MOST_TRIED], *heapq.nlargest(_LONGEST_TRIED, rest, key=len)]
    weights: dict[Marks, float] = {}
    for marks in _ALL_MARKS:
        share = _share(re.compile(rf"(?=.*\d){marks.to_pattern()}"), tried)
        if share and share * len(marked) + digits >= _MOST * len(cells):
            weights[marks] = share
    mark = _find_single_mark(cells)
    if not mark:
        return weights
    is_group = _is_group_mark(cells, mark, delimiter)
    return {
        marks: share * (_LIKELY if (marks.thousands == mark) == is_group else _UNLIKELY)
        for marks, share in weights.items()
    }


def _find_single_mark(cells: Cells) -> str:
    """Returns the mark of a column such as 1.234: one mark in each number, then three digits."""
    marked = [cell for cell in cells if not _INTEGER.fullmatch(cell) and re.search(r"\d", cell)]
    matches = [_ONE_GROUP.fullmatch(cell) for cell in marked]
    marks = {m[1] if m[1] in ",.'" else " " for m in matches if m}
    return marks.pop() if all(matches) and len(marks) == 1 else ""


def _is_group_mark(cells: Cells, mark: str, delimiter: str) -> bool:
    """Whether `mark` separates thousands, so that 1.234 means one thousand and more.

    `mark` does if all whole numbers of the column are below 1000: a larger one would have the mark.
    If the column has no whole numbers, a comma separates thousands unless semicolons delimit the
    cells.
    """
    whole = [abs(float(cell)) for cell in cells if _INTEGER.fullmatch(cell)]
    if whole:
        return max(whole) < 1000
    return mark == "," and delimiter != ";"


def _explain_marks(
    marks: Marks, voters: int, columns: int, delimiter: str
) -> tuple[Guess[DecimalMark], Guess[ThousandsSeparator]]:
    hold = "holds" if voters == 1 else "hold"
    shown = f"{voters} of {counted(columns, 'column')} {hold} numbers such as"
    if not voters:
        why = "the comma is the delimiter" if delimiter == "," else "default; no decimals were seen"
        return Guess(".", why), Guess("", "")
    if not marks.thousands:
        return Guess(marks.decimal, f"{shown} 1{marks.decimal}5"), Guess("", "")
    why = f"{shown} 1{marks.thousands}234{marks.decimal}5"
    return Guess(marks.decimal, why), Guess(marks.thousands, "separates groups of three digits")


def _choose_units(found: Sequence[UnitCells], marks: Marks) -> Guess[tuple[str, ...]]:
    """Returns the units that make numbers of all columns in which they were found.

    A unit holds for the whole table, so a unit that one column refutes is not proposed.
    """
    columns = Counter(cells.unit for cells in found)
    csv = CsvConfig(
        delimiter="\t", decimal=marks.decimal, thousands=marks.thousands, units=tuple(columns)
    )
    refuted = {cells.unit for cells in found if not cells.is_confirmed(csv)}
    units = {u: n for u, n in columns.items() if u not in refuted}
    shown = ", ".join(f"{u} in {counted(n, 'column')} of numbers" for u, n in units.items())
    return Guess(tuple(units), f"{shown}; 5 % is read as 5" if "%" in units else shown)


def _share(pattern: re.Pattern[str], cells: Cells) -> float:
    return sum(bool(pattern.fullmatch(cell)) for cell in cells) / max(len(cells), 1)
