"""Finds numbers that may stand for a missing value: 999 among durations of days, or year 0.

`init` only remarks on these numbers and does not propose them as markers: a marker holds for the
whole table, and the same number may be a value in another column.
"""

from __future__ import annotations

import numpy as np

from pipeline.core.text import percent
from pipeline.onboarding.reading.arrays import Floats
from pipeline.onboarding.reading.columns import Column

_FEWEST_CELLS = 3
"""An extreme number that occurs once or twice is an outlier."""
_SMALLEST_SHARE = 0.02
"""Share of cells from which a sentinel matters to the model; a rarer one is not worth a remark."""
_FEWEST_OTHERS = 10
"""Other different values that a sentinel must stand apart from. Among fewer values, a value far
away may well be one of them."""


def remark_on_sentinels(column: Column) -> str:
    """Returns a sentence on extreme values far from all other values, or an empty string."""
    numbers = column.numbers
    if not len(numbers):
        return ""
    frequent = {v: share for v in (numbers.min(), numbers.max()) if (share := _share(numbers, v))}
    others = np.unique(numbers[~np.isin(numbers, list(frequent))])
    if len(others) < _FEWEST_OTHERS:
        return ""
    far = {v: share for v, share in frequent.items() if _is_far(v, others)}
    if not far:
        return ""
    shown = ", ".join(f"{_format_as_written(column, v)} in {percent(s)}" for v, s in far.items())
    return (
        f"{shown} of the values, far from all others: if it means missing, add it to "
        "data.csv.missing, which applies to all columns"
    )


def _share(numbers: Floats, value: float) -> float:
    """Returns the share of numbers that equal `value`; 0 if they are too few to matter."""
    cells = int((numbers == value).sum())
    share = cells / len(numbers)
    return share if cells >= _FEWEST_CELLS and share >= _SMALLEST_SHARE else 0.0


def _is_far(value: float, others: Floats) -> bool:
    """Whether the gap to `others` (ascending) is wider than the whole range of `others`."""
    return bool(np.abs(others - value).min() > others[-1] - others[0])


def _format_as_written(column: Column, value: float) -> str:
    return next(c for c in column.categories if column.parse(c) == value)
