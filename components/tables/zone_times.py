"""Converts times between UTC and the clock of a time zone, for columns of a table."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pipeline.core.zones import AS_WRITTEN, load_zone

_Seconds = npt.NDArray[np.int64]


def offsets_at(seconds: _Seconds, zone: str) -> _Seconds:
    """Returns the offset from UTC at each time, in seconds; `seconds` since 1970 are int64 [n].

    Raises:
      ValueError: there is no such zone.
    """
    table = load_zone(zone)
    return _look_up(seconds, table.changes, table.offsets)


def offsets_on_clock(wall_seconds: _Seconds, zone: str) -> _Seconds:
    """Returns the offset from UTC for each time on the zone's own clock, int64 [n].

    `as_written` names no zone, and counts as UTC here.

    Raises:
      ValueError: there is no such zone.
    """
    if zone == AS_WRITTEN:
        return np.zeros_like(wall_seconds)
    table = load_zone(zone)
    return _look_up(wall_seconds, table.wall_changes, table.offsets)


def _look_up(times: _Seconds, changes: tuple[int, ...], offsets: tuple[int, ...]) -> _Seconds:
    positions = np.searchsorted(np.array(changes, np.int64), times, side="right")
    found: _Seconds = np.array(offsets, np.int64)[positions]
    return found
