"""Numbers that may stand for a missing value: 999 among durations of days, year 0.

What is missing is said for the whole table, and another column may mean its 0: so this is only
ever a remark.
"""

from __future__ import annotations

import numpy as np

from pipeline.core.text import percent
from pipeline.onboarding.reading.arrays import Floats
from pipeline.onboarding.reading.columns import Column

_FEWEST_CELLS = 3
_SMALLEST_SHARE = 0.02
_FEWEST_OTHERS = 10
"""Different values: of fewer, a far one may well be one of them."""


def remark_on_sentinels(column: Column) -> str:
    """A sentence on the lone extreme values among a column's numbers, or nothing."""
    numbers = column.numbers
    if not len(numbers):
        return ""
    often = {v: share for v in (numbers.min(), numbers.max()) if (share := _share(numbers, v))}
    others = np.unique(numbers[~np.isin(numbers, list(often))])
    if len(others) < _FEWEST_OTHERS:
        return ""
    far = {v: share for v, share in often.items() if _is_far(v, others)}
    if not far:
        return ""
    shown = ", ".join(f"{_as_written(column, v)} in {percent(s)}" for v, s in far.items())
    return (
        f"{shown} of the values, far from all others: if it means missing, add it to "
        "data.csv.missing, which holds for all columns"
    )


def _share(numbers: Floats, value: float) -> float:
    """The share of the numbers that equal `value`; 0 if they are too few to mean anything."""
    cells = int((numbers == value).sum())
    share = cells / len(numbers)
    return share if cells >= _FEWEST_CELLS and share >= _SMALLEST_SHARE else 0.0


def _is_far(value: float, others: Floats) -> bool:
    """Whether the gap to `others`, ascending, is wider than all of them are apart."""
    return bool(np.abs(others - value).min() > others[-1] - others[0])


def _as_written(column: Column, value: float) -> str:
    return next(c for c in column.categories if column.number_in(c) == value)
