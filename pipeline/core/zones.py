"""Time zones as tables of offsets, for engines that know no zones.

ExampleGen computes with numpy, and the graph of a served model with TensorFlow: both take this
table, so that both convert a time alike. Outside of 1970 to 2100 the nearest offset in the table
holds.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

AS_WRITTEN = "as_written"
"""The clock time that a text shows, whatever its offset from UTC."""
NONE = "none"
"""The clock time that a text shows; a text with an offset from UTC is no time of the column."""
UTC = "utc"

_FIXED = re.compile(r"([+-])([01]\d|2[0-3]):?([0-5]\d)")
_FIRST = datetime(1970, 1, 1, tzinfo=timezone.utc)
_LAST = datetime(2101, 1, 1, tzinfo=timezone.utc)
_STEP = timedelta(days=1)
"""Between two samples of a zone; no zone changed its offset twice within a day since 1970."""


def is_converted(zone: str) -> bool:
    """Whether a time with an offset is converted to the clock of `zone`."""
    return zone not in (AS_WRITTEN, NONE)


@dataclass(frozen=True)
class Zone:
    """The offsets of a time zone. Times are seconds since 1970 in UTC."""

    changes: tuple[int, ...]
    """The times from which a new offset holds, ascending."""
    offsets: tuple[int, ...]
    """Seconds east of UTC: before the first change, and from each change on."""

    @property
    def wall_changes(self) -> tuple[int, ...]:
        """The times on the zone's own clock, as seconds since 1970, from which an offset holds.

        A clock time that occurs twice, when summer time ends, counts as the first occurrence. A
        clock time that is skipped, when summer time begins, has the offset before the change.
        """
        pairs = zip(self.changes, self.offsets, self.offsets[1:], strict=False)
        return tuple(change + max(before, after) for change, before, after in pairs)


def load_zone(name: str) -> Zone:
    """Returns the zone: `utc`, a fixed offset such as +02:00, or a name such as Europe/Berlin.

    Raises:
      ValueError: there is no such zone.
    """
    if name.lower() == UTC:
        return Zone((), (0,))
    if match := _FIXED.fullmatch(name):
        seconds = int(match[2]) * 3600 + int(match[3]) * 60
        return Zone((), (-seconds if match[1] == "-" else seconds,))
    return _load_named(name)


@lru_cache(maxsize=32)
def _load_named(name: str) -> Zone:
    zone = find_zone(name)
    changes, offsets = [], [_offset_at(_FIRST, zone)]
    moment = _FIRST
    while moment < _LAST:
        later = moment + _STEP
        if (offset := _offset_at(later, zone)) != offsets[-1]:
            changes.append(_find_change(moment, later, zone))
            offsets.append(offset)
        moment = later
    return Zone(tuple(changes), tuple(offsets))


def check_zone(name: str) -> None:
    """Raises ValueError unless `load_zone` knows the zone."""
    if name.lower() != UTC and not _FIXED.fullmatch(name):
        find_zone(name)


def find_zone(name: str) -> tzinfo:
    """Returns the zone of this name in the machine's database of time zones.

    Raises:
      ValueError: the database has no such zone.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(
            f"there is no time zone {name!r}; names are such as Europe/Berlin and America/Chicago, "
            "and fixed offsets such as +02:00"
        ) from None


def _offset_at(moment: datetime, zone: tzinfo) -> int:
    offset = moment.astimezone(zone).utcoffset()
    assert offset is not None
    return int(offset.total_seconds())


def _find_change(before: datetime, after: datetime, zone: tzinfo) -> int:
    """Returns the second of the only change between the two times, by bisection."""
    low, high = int(before.timestamp()), int(after.timestamp())
    old = _offset_at(before, zone)

    def has_changed(second: int) -> bool:
        return _offset_at(datetime.fromtimestamp(second, timezone.utc), zone) != old

    return low + bisect.bisect_left(range(low, high + 1), True, key=has_changed)
