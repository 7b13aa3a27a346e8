"""Reads a column as points in time that can be ordered, as ExampleGen's split by time does."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from components.tables.timestamps import parse_times
from pipeline.core.date_formats import DATE_FORMATS, TextFormat
from pipeline.onboarding.reading.arrays import Floats
from pipeline.onboarding.reading.columns import Column


def read_times(column: Column, time_format: TextFormat | None = None) -> Floats | None:
    """Returns float64 [sampled rows], NaN where the time is missing.

    The numbers only order the rows; their unit depends on the column. Returns None if a cell is no
    time, or if there are fewer than three different times.
    """
    if column.is_number:
        return _require_three(column.values)
    for name in (time_format,) if time_format else tuple(DATE_FORMATS):
        times = parse_times(column.cells, name)
        if times.null_count == column.cells.null_count:
            numbers = pc.cast(times, "double", safe=False).fill_null(np.nan)
            return _require_three(numbers.to_numpy(zero_copy_only=False))
    return None


def _require_three(times: Floats) -> Floats | None:
    """Returns the times, or None if they cannot be divided into train, eval and test."""
    return times if len(np.unique(times[~np.isnan(times)])) >= 3 else None
