"""Finds the unit beside the numbers of a column, such as kg, EUR, °C or km/h.

A unit needs no list: any short run of letters or signs will do if it is the only one beside the
numbers of its column. Cells without a unit are then read as numbers of the same unit. So a unit
that only some cells have is not proposed where it may mean another size (k, %) or a code (12a).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from components.tables.numerals import BLANKS
from pipeline.config import CsvConfig
from pipeline.onboarding.reading.number_parsing import parse_numbers

CURRENCY_SIGNS = "$¢£¤¥฿₠-\u20cf﷼"
"""For a class of characters in a pattern."""
_WORD = rf"(?:[^\W\d_]|[{CURRENCY_SIGNS}%‰°/·'\"′″])+"
_BEFORE = rf"[A-Z]{{0,3}}[{CURRENCY_SIGNS}]|%|[A-Z]{{3}}(?=[{BLANKS}])|(?:Rs|kr|Fr)(?=[{BLANKS}])"
"""Before a number, letters must be a currency: other letters, as in `Q 3`, belong to a code."""
_BEHIND = rf"{_WORD}(?: {_WORD})?"
"""One word or two, such as `kg` or `sq ft`."""
_LONGEST = 12
"""Characters of the longest unit. A longer text is a remark."""
_WITH_UNIT = re.compile(
    rf"[+-]?(?:(?P<before>{_BEFORE})[{BLANKS}]*)?[+-]?[\d.,]*\d[\d.,'{BLANKS}]*?"
    rf"(?:[{BLANKS}]*(?P<behind>{_BEHIND}))?"
)
_LONGEST_CELL = 40
"""Characters of the longest number with its unit: bounds the time of the pattern."""
_CODE = re.compile(r"\d+[^\W\d_]")
"""A letter right behind whole numbers, as in the house numbers 12 and 12a."""
_MOST = 0.6
"""Share of cells that must be numbers: the other cells may be markers that nobody knows yet."""
_NEARLY_ALL = 0.9
"""Share of numbers from which a unit stands beside all of them, but for rare exceptions."""
_FEWEST_CELLS = 3
_FEWEST = 0.02
"""Share of numbers that have the unit. A rarer unit may be the exception to another, unwritten
one: the cells then count as missing, and a warning shows them."""
_OTHER_SIZE = 10
"""Factor between the medians of the numbers with the unit and without: beyond it, the unit means
another size, as in 1.5k beside 900, or 50 % beside 0.5."""


@dataclass(frozen=True)
class UnitCells:
    """The cells of a column with a unit."""

    unit: str
    cells: Sequence[str]
    has_unit: tuple[bool, ...]
    """Whether each cell has the unit."""

    def is_confirmed(self, csv: CsvConfig) -> bool:
        """Whether the cells become numbers of one size if `csv`, which has the unit, is set."""
        sizes = np.abs(parse_numbers(pa.array(self.cells, pa.string()), csv).values)
        has_unit, is_number = np.array(self.has_unit), ~np.isnan(sizes)
        if is_number[has_unit].mean() < _NEARLY_ALL:
            return False
        with_unit, without = sizes[has_unit & is_number], sizes[~has_unit & is_number]
        if len(with_unit) >= _NEARLY_ALL * is_number.sum():
            return True
        low, high = sorted((float(np.median(with_unit)), float(np.median(without))))
        return high <= _OTHER_SIZE * low or high == 0


def find_unit(cells: Sequence[str]) -> UnitCells | None:
    """Returns the unit of a column, if its numbers have one."""
    matches = [_WITH_UNIT.fullmatch(c) if len(c) <= _LONGEST_CELL else None for c in cells]
    found = [m for m in matches if m and not (m["before"] and m["behind"])]
    with_unit = [m for m in found if m["before"] or m["behind"]]
    units = {m["before"] or m["behind"] for m in with_unit}
    unit = units.pop() if len(units) == 1 else ""
    if not unit or len(unit) > _LONGEST or len(found) < _MOST * len(cells):
        return None
    is_on_all = len(with_unit) >= _NEARLY_ALL * len(found)
    is_rare = len(with_unit) < max(_FEWEST_CELLS, _FEWEST * len(found))
    if not is_on_all and (is_rare or all(_CODE.fullmatch(m[0]) for m in with_unit)):
        return None
    has_unit = tuple(bool(m and (m["before"] or m["behind"])) for m in matches)
    return UnitCells(unit, cells, has_unit)
