"""How a table writes its numbers: with which marks and units, and whether its first row is one.

By trial, as with the delimiter: of the ways there are, the one that makes numbers of most columns.
`1.234` can be a little more than one, or more than a thousand. The rest of its column tells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pipeline.core.text import counted
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.reading.missing_markers import LIKELY_MARKERS

Column = Sequence[str]
"""The cells of a column without the blanks around them, and none that is empty."""


class Marks(NamedTuple):
    """The marks within a number."""

    decimal: Literal[".", ","]
    thousands: Literal["", ",", ".", "'", " "]

    def pattern(self) -> str:
        group = r"[ \u00a0\u2009\u202f]" if self.thousands == " " else re.escape(self.thousands)
        whole = rf"[1-9]\d{{0,2}}(?:{group}\d{{3}})+|\d*" if self.thousands else r"\d*"
        return rf"[+-]?(?:{whole})(?:{re.escape(self.decimal)}\d*)?(?:[eE][+-]?\d+)?"


@dataclass(frozen=True)
class Numerals:
    """How numbers are written."""

    decimal: Guess[Literal[".", ","]]
    thousands: Guess[Literal["", ",", ".", "'", " "]]
    units: Guess[tuple[str, ...]]


_WAYS = tuple(Marks(d, t) for t in ("", ",", ".", "'", " ") for d in (".", ",") if d != t)
_UNITS = "$€£¥₹%"
_DRESSED = re.compile(rf"[+-]?([{_UNITS}]?)\s*([+-]?[\d.,][\d.,'\s]*)([{_UNITS}]?)")
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INTEGER = re.compile(r"[+-]?\d+")
_ONE_GROUP = re.compile(r"[+-]?[1-9]\d{0,2}([.,' \u00a0\u2009\u202f])\d{3}")
_MOST = 0.6
_NEARLY_ALL = 0.9
_LIKELY = 0.5
_UNLIKELY = 0.25
_FEW = 0.2
_MOST_TRIED = 200
"""Of the cells that are more than digits, in each column: wide tables take their time."""


def guess_numerals(records: Sequence[Sequence[str]], delimiter: str) -> Numerals:
    """Looks at records whose first one is no data or as good as any."""
    columns, units = [], dict[str, int]()
    for column in _columns_of(records):
        bare, unit = _without_unit(column)
        columns.append(bare)
        if unit:
            units[unit] = units.get(unit, 0) + 1
    readings = [_readings(column, delimiter) for column in columns]
    marks = max(_WAYS, key=lambda way: sum(reading.get(way, 0) for reading in readings))
    votes = sum(marks in reading for reading in readings)
    return Numerals(*_explain(marks, votes, len(columns), delimiter), _explain_units(units))


def lacks_header(records: Sequence[Sequence[str]]) -> bool:
    """Whether the first record is a row like all others: numbers stand where those below it have
    numbers, and words that occur below as well where they have few."""
    if len(records) < 2:
        return False
    pairs = zip(records[0], _columns_of(records), strict=True)
    verdicts = [_is_alike(cell.strip(), column) for cell, column in pairs]
    return any(verdicts) and False not in verdicts


def _is_alike(cell: str, column: Column) -> bool | None:
    """Whether `cell` could stand in `column`; None if that cannot be told."""
    if not cell or not column or cell.lower() in LIKELY_MARKERS:
        return None
    if _share(_PLAIN, column) > _NEARLY_ALL:
        return bool(_PLAIN.fullmatch(cell))
    words = set(column)
    return cell in words if len(words) <= _FEW * len(column) else None


def _columns_of(records: Sequence[Sequence[str]]) -> list[Column]:
    """The columns below the first record, of the records as wide as it."""
    rows = [r for r in records[1:] if len(r) == len(records[0])]
    columns = zip(*rows, strict=True) if rows else ((),) * len(records[0] if records else ())
    return [[c.strip() for c in column if c.strip()] for column in columns]


def _without_unit(column: Column) -> tuple[Column, str]:
    """The cells without their unit, and that, if nearly all cells have the same one."""
    matches = [_DRESSED.fullmatch(cell) for cell in column]
    found = [m[1] or m[3] for m in matches if m and not (m[1] and m[3])]
    signed = [unit for unit in found if unit]
    of_one_kind = len(set(signed)) == 1 and len(signed) >= _NEARLY_ALL * len(found)
    if not of_one_kind or len(found) < _MOST * len(column):
        return column, ""
    return [re.sub(rf"\s*{re.escape(signed[0])}\s*", "", cell) for cell in column], signed[0]


def _readings(column: Column, delimiter: str) -> dict[Marks, float]:
    """The ways in which the column is one of numbers, some of which are more than digits, each
    with the share of those that it reads, less where the column can be read in another way."""
    odd = [cell for cell in column if not _INTEGER.fullmatch(cell)]
    digits, tried = len(column) - len(odd), odd[:_MOST_TRIED]
    ways: dict[Marks, float] = {}
    for way in _WAYS:
        read = _share(re.compile(rf"(?=.*\d){way.pattern()}"), tried)
        if read and read * len(odd) + digits >= _MOST * len(column):
            ways[way] = read
    mark = _single_mark(column)
    if not mark:
        return ways
    # Columns that leave no choice count for more.
    are_groups = _are_groups(column, mark, delimiter)
    return {
        way: read * (_LIKELY if (way.thousands == mark) == are_groups else _UNLIKELY)
        for way, read in ways.items()
    }


def _single_mark(column: Column) -> str:
    """The mark of a column whose numbers all have three digits behind a single one, or none."""
    cells = [cell for cell in column if not _INTEGER.fullmatch(cell) and re.search(r"\d", cell)]
    matches = [_ONE_GROUP.fullmatch(cell) for cell in cells]
    marks = {m[1] if m[1] in ",.'" else " " for m in matches if m}
    return marks.pop() if all(matches) and len(marks) == 1 else ""


def _are_groups(column: Column, mark: str, delimiter: str) -> bool:
    """Whether 1.234 is more than a thousand: there are smaller whole numbers, but none as large."""
    whole = [abs(float(cell)) for cell in column if _INTEGER.fullmatch(cell)]
    if whole:
        return max(whole) < 1000
    return mark == "," and delimiter != ";"


def _explain(
    marks: Marks, votes: int, columns: int, delimiter: str
) -> tuple[Guess[Literal[".", ","]], Guess[Literal["", ",", ".", "'", " "]]]:
    shown = f"{votes} of {counted(columns, 'column')} hold numbers such as"
    if not votes:
        none = "a comma already separates cells" if delimiter == "," else "no decimals were seen"
        return Guess(".", none), Guess("", "")
    if not marks.thousands:
        return Guess(marks.decimal, f"{shown} 1{marks.decimal}5"), Guess("", "")
    why = f"{shown} 1{marks.thousands}234{marks.decimal}5"
    return Guess(marks.decimal, why), Guess(marks.thousands, "between groups of three digits")


def _explain_units(units: dict[str, int]) -> Guess[tuple[str, ...]]:
    shown = ", ".join(f"{u} in {counted(n, 'column')} of numbers" for u, n in units.items())
    return Guess(tuple(units), f"{shown}; 5 % is read as 5" if "%" in units else shown)


def _share(pattern: re.Pattern[str], cells: Column) -> float:
    return sum(bool(pattern.fullmatch(cell)) for cell in cells) / max(len(cells), 1)
