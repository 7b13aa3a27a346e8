"""Moves points in time along one part: to another hour of the same day, or another weekday.

A model sees a time as its parts, such as hour, weekday and year. Whole times side by side would mix
them: neighbours on the axis of time differ in hour and weekday, and the line between them zigzags.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from typing import Any

import numpy as np

from components.predictions.terms import Array
from pipeline.core.date_formats import DATE_FORMATS, EPOCH_UNITS, SHORT_YEAR_PIVOT

_MOST_VALUES = 12
_LAST_DAY = 28
"""The last day that each month has."""
_NAMES = {
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "month": (
        "", "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class _Time:
    """The time of a cell, and how the cell writes another time."""

    moment: datetime
    write: Callable[[datetime], Any]


@dataclass(frozen=True)
class PartGrid:
    """The rows with other times, once for each value of the part that occurs in them."""

    texts: tuple[str, ...]
    """The values, such as 14 or Monday."""
    positions: tuple[float, ...] | None
    """The values as numbers; None for names."""
    cells: tuple[Array, ...]
    """For each value the cells of all rows, [n]. Cells that hold no time are as they were."""


def choose_part_grid(cells: Array, time_format: str, part: str) -> PartGrid | None:
    """Returns the rows moved to each value of a part, or None if they have one value only.

    Args:
      cells: as the signature takes them, [n].
      time_format: a value of `features.<column>.format`.
      part: a value of `features.<column>.parts`.
    """
    times = [_read(cell, time_format) for cell in cells.tolist()]
    known = [time.moment for time in times if time is not None]
    found = sorted({_value_of(moment, part) for moment in known})
    values = [value for value in found if part != "day" or value <= _LAST_DAY]
    if len(values) < 2:
        return None
    places = np.linspace(0, len(values) - 1, min(len(values), _MOST_VALUES))
    chosen = [values[place] for place in np.unique(np.round(places).astype(int))]
    is_named = part == "date" or part in _NAMES
    return PartGrid(
        texts=tuple(_name(value, part) for value in chosen),
        positions=None if is_named else tuple(map(float, chosen)),
        cells=tuple(_move_all(cells, times, part, value) for value in chosen),
    )


def _move_all(cells: Array, times: Sequence[_Time | None], part: str, value: int) -> Array:
    moved = [
        cell if time is None else time.write(_move(time.moment, part, value))
        for cell, time in zip(cells.tolist(), times, strict=True)
    ]
    return np.array(moved, cells.dtype)


def _value_of(moment: datetime, part: str) -> int:
    """Returns the part of a time as a number; a date is its number of days since the year 1."""
    match part:
        case "weekday":
            return moment.weekday()
        case "day_of_year":
            return moment.timetuple().tm_yday
        case "date":
            return moment.toordinal()
    value: int = getattr(moment, part)
    return value


def _name(value: int, part: str) -> str:
    if part == "date":
        return date.fromordinal(value).isoformat()
    return _NAMES[part][value] if part in _NAMES else str(value)


def _move(moment: datetime, part: str, value: int) -> datetime:
    if part in ("weekday", "day_of_year", "date"):
        return moment + timedelta(days=value - _value_of(moment, part))
    if part in ("month", "year"):
        moment = moment.replace(day=min(moment.day, _LAST_DAY))
    return moment.replace(**{part: value})  # type: ignore[arg-type]


def _read(cell: Any, time_format: str) -> _Time | None:
    try:
        if isinstance(cell, bytes):
            return _read_text(cell.decode("utf-8"), time_format)
        return _read_number(cell, dict(EPOCH_UNITS)[time_format])  # type: ignore[index]
    except (ValueError, OverflowError, KeyError, OSError):
        return None


def _read_number(number: float, units: int) -> _Time:
    def write(moment: datetime) -> float:
        return type(number)(moment.timestamp() * units)

    return _Time(datetime.fromtimestamp(number / units, timezone.utc), write)


@functools.cache
def _pattern(time_format: str) -> re.Pattern[str]:
    return re.compile(DATE_FORMATS[time_format].feature_pattern)  # type: ignore[index]


def _read_text(text: str, time_format: str) -> _Time | None:
    match = _pattern(time_format).fullmatch(text)
    if match is None:
        return None
    groups = match.groupdict()
    # ISO dates without marks have groups of their own.
    month, day = (k if groups[k] else f"compact_{k}" for k in ("month", "day"))
    year = int(groups["year"])
    if len(groups["year"]) == 2:
        year += 1900 if year >= SHORT_YEAR_PIVOT else 2000
    hour, half = int(groups["hour"] or 0), (groups["half"] or "").lower()
    if half and hour <= 12:
        hour = hour % 12 + 12 * (half == "pm")
    moment = datetime(year, int(groups[month]), int(groups[day]), hour, int(groups["minute"] or 0))

    def write(other: datetime) -> bytes:
        values = {"year": other.year, month: other.month, day: other.day}
        if groups["hour"]:
            values["hour"] = (other.hour % 12 or 12) if half else other.hour
        parts = {k: _write_number(v, groups[k]) for k, v in values.items()}
        if half:
            parts["half"] = "PM" if other.hour >= 12 else "AM"
        return _replace_groups(match, parts).encode()

    return _Time(moment, write)


def _write_number(value: int, before: str) -> str:
    """Returns the number with as many digits as before; a year of two digits keeps two."""
    return str(value).zfill(len(before))[-max(len(before), 2) :]


def _replace_groups(match: re.Match[str], parts: dict[str, str]) -> str:
    text, end = [], 0
    for name in sorted(parts, key=match.start):
        text += [match.string[end : match.start(name)], parts[name]]
        end = match.end(name)
    return "".join([*text, match.string[end:]])
