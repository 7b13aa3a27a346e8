"""Finds the time from which on a column is broken."""

from __future__ import annotations

from datetime import datetime, timezone
from statistics import NormalDist
from typing import get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from components.predictions.terms import Array
from components.statistics_view.distributions.noise import FALSE_ALARMS
from components.tables.timestamps import parse_times
from pipeline.core.date_formats import EPOCH_UNITS, TextFormat, TimestampFormat

_MICROSECONDS = 1_000_000
_DAY = 86_400 * _MICROSECONDS
_PERIODS = {"hour": (1 / 24, 3), "day": (1, 60), "week": (7, 400)}
"""By name: the days of a period, and the longest span in days that is cut into such periods."""
_EPOCH_MONDAY = 4 * _DAY
"""1970-01-05: weeks begin on Mondays."""
_LARGEST_SECONDS = 1e11
"""A greater number counts milliseconds: as seconds it would lie in the year 5138."""


def read_moments(cells: pa.ChunkedArray, time_format: TimestampFormat | None) -> Array:
    """Returns microseconds since 1970, float64 [n]; NaN where a cell is no time.

    Args:
      time_format: None tries all formats, and takes the one that most cells have.
    """
    if not pa.types.is_large_binary(cells.type):
        numbers = cells.to_numpy().astype(float)
        unit = EPOCH_UNITS.get(time_format) if time_format else None  # type: ignore[arg-type]
        if unit is None:
            unit = 1000 if np.nanmax(np.abs(numbers), initial=0) > _LARGEST_SECONDS else 1
        moments: Array = numbers * (_MICROSECONDS / unit)
        return moments
    text = cells.cast(pa.large_utf8()).cast(pa.utf8()).combine_chunks()
    known = get_args(TextFormat)
    formats = (time_format,) if time_format in known else known
    parsed = [parse_times(text, name) for name in formats]
    best = min(parsed, key=lambda times: int(times.null_count))
    found: Array = pc.cast(best, pa.float64()).to_numpy(zero_copy_only=False)
    return found


def find_start(moments: Array, affected: Array, usual: float) -> str:
    """Returns since when rows are affected, in words; empty if the times do not tell.

    Args:
      moments: microseconds since 1970, float64 [n]; NaN where unknown.
      affected: whether the finding is about the row, bool [n].
      usual: the share of such rows in the data that the gate compared with.
    """
    known = np.isfinite(moments)
    moments, affected = moments[known], affected[known]
    if not affected.any():
        return ""
    if usual == 0:
        return _write(float(moments[affected].min()))
    return _find_first_period(moments, affected, usual)


def _find_first_period(moments: Array, affected: Array, usual: float) -> str:
    """Returns the first period whose share differs as the whole does, beyond chance."""
    span = (moments.max() - moments.min()) / _DAY
    name = next((name for name, (_, longest) in _PERIODS.items() if span <= longest), "week")
    length = _PERIODS[name][0] * _DAY
    numbers = np.floor((moments - _EPOCH_MONDAY) / length).astype(np.int64)
    periods, places = np.unique(numbers, return_inverse=True)
    rows = np.bincount(places)
    moved = np.bincount(places, affected) / rows - usual
    whole = affected.mean() - usual
    # Both sides of the comparison hold for half of the move: a break in the middle of the data
    # moves the whole by less than the broken periods.
    z = NormalDist().inv_cdf(1 - FALSE_ALARMS / len(periods))
    chance = z * np.sqrt(max(usual * (1 - usual), 1e-6) / rows) + 1 / rows
    beyond = (moved * np.sign(whole) > chance) & (np.abs(moved) >= abs(whole) / 2)
    if not beyond.any():
        return ""
    start = float(periods[np.argmax(beyond)] * length + _EPOCH_MONDAY)
    if name == "hour":
        return f"the hour from {_write(start)}"
    return f"the {name} {'from ' if name == 'week' else ''}{_write(start)[:10]}"


def _write(moment: float) -> str:
    try:
        time = datetime.fromtimestamp(moment / _MICROSECONDS, timezone.utc)
    except (OverflowError, ValueError, OSError):
        return ""
    is_midnight = moment % _DAY == 0
    return f"{time:%Y-%m-%d}" if is_midnight else f"{time:%Y-%m-%d %H:%M}"
