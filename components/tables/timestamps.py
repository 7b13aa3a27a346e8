"""Parses text in one of the date formats of timestamp features to comparable numbers.

Also finds the offset of a time zone from UTC for each time of a column.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.date_formats import (
    DATE_FORMATS,
    EPOCH_NUMBER,
    EPOCH_UNITS,
    SHORT_YEAR_PIVOT,
    TextFormat,
    TimeColumn,
)
from pipeline.core.zones import AS_WRITTEN, NONE, is_converted, load_zone

_Numbers = npt.NDArray[np.int64]
_Flags = npt.NDArray[np.bool_]


def parse_times(text: pa.Array, time_format: TextFormat, zone: str = AS_WRITTEN) -> pa.Array:
    """Parses utf8 [n] to int64 [n], microseconds since 1970; null where the text is no such time.

    Args:
      zone: the zone of texts without an offset, see `Timestamp.zone`. With `as_written` and `none`
        they count as UTC. With `none`, a text with an offset is no time.
    """
    # Times repeat, so each distinct text is parsed once.
    encoded = text.dictionary_encode()
    by_name, matches = _extract(encoded.dictionary, DATE_FORMATS[time_format].split_pattern)
    times = _microseconds(by_name, zone)
    valid = _is_existing_time(by_name) & matches & ((zone != NONE) | ~_has_offset(by_name))
    return pa.array(times, mask=~valid).take(encoded.indices)


def find_unreadable(values: pa.Array, column: TimeColumn) -> _Flags:
    """Returns which values a timestamp feature cannot read, bool [n]; see `TimeColumn.reads`.

    Null and blank text are missing times, and not unreadable.

    Args:
      values: utf8, int64 or float32 [n].
    """
    is_epoch = column.format in EPOCH_UNITS
    if is_epoch and not pa.types.is_string(values.type):
        first, last = column.epoch_range()
        number = values.fill_null(0).to_numpy(zero_copy_only=False)
        return np.asarray((number < first) | (number > last), np.bool_)
    encoded = pc.cast(values, pa.string()).dictionary_encode()
    text = encoded.dictionary
    readable = _are_epochs(text, column) if is_epoch else _are_times(text, column)
    is_blank = pc.equal(pc.utf8_trim_whitespace(text), "").to_numpy(zero_copy_only=False)
    unreadable = pa.array(~(readable | is_blank)).take(encoded.indices)
    return np.asarray(unreadable.fill_null(False).to_numpy(zero_copy_only=False), np.bool_)


def _are_epochs(text: pa.Array, column: TimeColumn) -> _Flags:
    fields, matches = _extract(text, EPOCH_NUMBER.replace("(", "(?P<number>", 1))
    first, last = column.epoch_range()
    # Arrow reads no number with a plus.
    number = _to_integers(pc.utf8_ltrim(fields["number"], "+"))
    return np.asarray(matches & (number >= first) & (number <= last), np.bool_)


def _are_times(text: pa.Array, column: TimeColumn) -> _Flags:
    fields, matches = _extract(text, DATE_FORMATS[column.format].feature_pattern)  # type: ignore[index]
    year, month, day = (
        # A pattern with compact dates has two groups for a part, of which one is empty.
        _to_integers(fields[name])
        + _to_integers(fields.get(f"compact_{name}", fields[name])) * (f"compact_{name}" in fields)
        for name in ("year", "month", "day")
    )
    is_short = pc.equal(pc.utf8_length(fields["year"]), 2).fill_null(False).to_numpy(False)
    year = np.where(is_short, year + np.where(year < SHORT_YEAR_PIVOT, 2000, 1900), year)
    hour, minute = _to_integers(fields["hour"]), _to_integers(fields["minute"])
    hours = np.where(_equals(pc.utf8_lower(fields["half"]), "am"), 13, 24)
    has_clock = (hour < hours) & (minute < 60)
    offset = _to_integers(fields["zone_hours"]) * 60 + _to_integers(fields["zone_minutes"])
    is_offset = (not is_converted(column.zone)) | (offset < 24 * 60)
    is_offset &= column.takes_offset | ~_has_offset(fields)
    is_date = (year >= 1) & _is_existing_date(year, month, day)
    return np.asarray(matches & is_date & has_clock & is_offset, np.bool_)


def _extract(text: pa.Array, pattern: str) -> tuple[dict[str, pa.Array], _Flags]:
    """Returns the named groups of the pattern, and which texts match the pattern as a whole."""
    fields = pc.extract_regex(text, pattern=f"^{pattern}$")
    names = (field.name for field in fields.type)
    matches = fields.is_valid().to_numpy(zero_copy_only=False)
    return dict(zip(names, fields.flatten(), strict=True)), matches


def _microseconds(fields: dict[str, pa.Array], zone: str) -> _Numbers:
    seconds = _days(fields) * 86_400 + _hours(fields) * 3_600
    seconds += _to_integers(fields["minute"]) * 60 + _to_integers(fields["second"])
    offset = _to_integers(fields["zone_hours"]) * 3_600 + _to_integers(fields["zone_minutes"]) * 60
    offset = np.where(_equals(fields["sign"], "-"), -offset, offset)
    seconds -= np.where(_has_offset(fields), offset, offsets_on_clock(seconds, zone))
    fraction = pc.utf8_slice_codeunits(pc.utf8_rpad(fields["fraction"], 6, "0"), 0, 6)
    return seconds * 1_000_000 + _to_integers(fraction)


def _has_offset(fields: dict[str, pa.Array]) -> _Flags:
    return ~_equals(fields["zone"].fill_null(""), "")


def _days(fields: dict[str, pa.Array]) -> _Numbers:
    first = _first_of_month(_to_integers(fields["year"]), _to_integers(fields["month"]))
    days: _Numbers = first.astype(np.int64)
    return days + _to_integers(fields["day"]) - 1


def days_in_month(year: _Numbers, month: _Numbers) -> _Numbers:
    """Returns the days of each month, int64 [n]; month 13 is January of the next year."""
    days: _Numbers = (_first_of_month(year, month + 1) - _first_of_month(year, month)).astype(
        np.int64
    )
    return days


def _first_of_month(year: _Numbers, month: _Numbers) -> npt.NDArray[np.datetime64]:
    """Returns the first day of each month, datetime64[D] [n]."""
    return ((year - 1970) * 12 + month - 1).astype("datetime64[M]").astype("datetime64[D]")


def _hours(fields: dict[str, pa.Array]) -> _Numbers:
    hours = _to_integers(fields["hour"])
    half = pc.utf8_lower(fields["half"])
    # 12 AM is midnight, 12 PM is noon, and 14:40 PM occurs in real tables.
    hours = np.where(_equals(half, "am") & (hours == 12), 0, hours)
    return np.where(_equals(half, "pm") & (hours < 12), hours + 12, hours)


def _is_existing_time(fields: dict[str, pa.Array]) -> npt.NDArray[np.bool_]:
    """Returns, for each text, whether its date and time exist: no month 13, no 31 February."""
    year, month, day = (_to_integers(fields[name]) for name in ("year", "month", "day"))
    exists = _is_existing_date(year, month, day)
    # Second 60 occurs as a leap second.
    minute, second = _to_integers(fields["minute"]), _to_integers(fields["second"])
    result: npt.NDArray[np.bool_] = (
        exists & (_hours(fields) <= 23) & (minute <= 59) & (second <= 60)
    )
    return result


def _is_existing_date(year: _Numbers, month: _Numbers, day: _Numbers) -> _Flags:
    is_date = (month >= 1) & (month <= 12) & (day >= 1) & (day <= days_in_month(year, month))
    return np.asarray(is_date, np.bool_)


def _to_integers(field: pa.Array) -> _Numbers:
    """Returns the digits as int64; 0 where there are no digits."""
    digits = pc.if_else(pc.equal(field, ""), "0", field).fill_null("0")
    numbers: _Numbers = pc.cast(digits, pa.int64()).to_numpy()
    return numbers


def _equals(field: pa.Array, text: str) -> npt.NDArray[np.bool_]:
    equal: npt.NDArray[np.bool_] = pc.equal(field, text).fill_null(False).to_numpy(False)
    return equal


def offsets_at(seconds: _Numbers, zone: str) -> _Numbers:
    """Returns the offset from UTC at each time, in seconds; `seconds` since 1970 are int64 [n].

    Raises:
      ValueError: there is no such zone.
    """
    table = load_zone(zone)
    return _look_up(seconds, table.changes, table.offsets)


def offsets_on_clock(wall_seconds: _Numbers, zone: str) -> _Numbers:
    """Returns the offset from UTC for each time on the zone's own clock, int64 [n].

    `as_written` and `none` name no zone, and count as UTC here.

    Raises:
      ValueError: there is no such zone.
    """
    if not is_converted(zone):
        return np.zeros_like(wall_seconds)
    table = load_zone(zone)
    return _look_up(wall_seconds, table.wall_changes, table.offsets)


def _look_up(times: _Numbers, changes: tuple[int, ...], offsets: tuple[int, ...]) -> _Numbers:
    positions = np.searchsorted(np.array(changes, np.int64), times, side="right")
    found: _Numbers = np.array(offsets, np.int64)[positions]
    return found
