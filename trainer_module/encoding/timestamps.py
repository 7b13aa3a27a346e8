"""Parses timestamps with TensorFlow operations, so that serving parses them as training does.

All arithmetic is on integer tensors [batch, 1] in the proleptic Gregorian calendar. With the zone
`as_written`, the clock time counts and an offset such as `+01:00` does not, since people's
behaviour follows the local hour. With the zone `none`, a text with an offset is no time. With
another zone, a time with an offset is converted to that zone, whose table of offsets is a constant
of the graph.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import tensorflow as tf

from pipeline.core.date_formats import (
    DATE_FORMATS,
    EPOCH_DAY,
    EPOCH_NUMBER,
    EPOCH_UNITS,
    LAST_DAY,
    LAST_SECOND,
    SECONDS_A_DAY,
    SHORT_YEAR_PIVOT,
    TimestampFormat,
)
from pipeline.core.zones import AS_WRITTEN, NONE, is_converted, load_zone
from trainer_module.encoding.values import as_text

_CLOCK = ("year", "month", "day", "hour", "minute", "second", "half")
_OFFSET = ("zone", "sign", "zone_hours", "zone_minutes")


def _numbered_groups(pattern: str, parts: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Returns the pattern with the groups of `parts` alone, and how a rewrite refers to each part.

    TensorFlow's rewrites know groups by number alone, and no number above 9. If a part has two
    groups, one of the two is always empty.
    """
    wanted = {name for part in parts for name in (part, f"compact_{part}")}
    pattern = re.sub(r"\?P<(\w+)>", lambda m: str(m[0]) if m[1] in wanted else "?:", pattern)
    numbers = re.compile(pattern).groupindex

    def groups_of(part: str) -> str:
        names = (part, f"compact_{part}")
        return "".join(rf"\{numbers[name]}" for name in names if name in numbers)

    return re.sub(r"\?P<\w+>", "", pattern), tuple(map(groups_of, parts))


_CLOCK_FORMATS = {
    name: _numbered_groups(date_format.feature_pattern, _CLOCK)
    for name, date_format in DATE_FORMATS.items()
}
_OFFSET_FORMATS = {
    name: _numbered_groups(date_format.feature_pattern, _OFFSET)
    for name, date_format in DATE_FORMATS.items()
}

_LAST_YEAR = 9999
_DAY_2000 = 730_119
"""2000-01-01 in days since 0001-01-01. Counted from there, times of today keep their minutes in a
float32."""
_MONTH_ENDS = (31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366)
"""Days up to the end of each month of a leap year."""


@dataclass(frozen=True)
class Moment:
    """Points in time; each field is [batch, 1] and has a meaning only where `is_valid` is true.

    `hour` is float32 in [0, 24) with the minutes as its fraction. `date` is float32 and counts days
    since 2000-01-01 with the time of day, in whole seconds, as its fraction: float32 rounds it by
    at most 21 seconds from 1978 to 2022, and by at most 42 seconds until 2044. The other parts are
    int64: `weekday` counts from 0 for Monday; `day`, `month` and `day_of_year` count from 1.
    """

    is_valid: tf.Tensor
    year: tf.Tensor
    month: tf.Tensor
    day: tf.Tensor
    weekday: tf.Tensor
    hour: tf.Tensor
    day_of_year: tf.Tensor
    date: tf.Tensor


def parse_moment(column: tf.Tensor, date_format: TimestampFormat, zone: str = AS_WRITTEN) -> Moment:
    """Parses a raw column, [batch, 1], in a format and zone of `features.<column>`."""
    if date_format == "epoch_seconds" or date_format == "epoch_milliseconds":
        return _moment_of_epoch(column, EPOCH_UNITS[date_format], zone)
    text = as_text(column)
    is_valid, days, second_of_day = _parse_clock(text, *_CLOCK_FORMATS[date_format])
    if zone == NONE:
        has_offset, _ = _parse_offset(text, *_OFFSET_FORMATS[date_format])
        is_valid &= ~has_offset
    if is_converted(zone):
        has_offset, offset = _parse_offset(text, *_OFFSET_FORMATS[date_format])
        instant = (days - EPOCH_DAY) * SECONDS_A_DAY + second_of_day - offset
        is_valid &= tf.abs(offset) < SECONDS_A_DAY
        shift = tf.where(has_offset, _zone_offset(instant, zone) - offset, 0)
        seconds = days * SECONDS_A_DAY + second_of_day + shift
        days, second_of_day = seconds // SECONDS_A_DAY, seconds % SECONDS_A_DAY
    return _moment(is_valid, days, second_of_day)


def _zone_offset(instant: tf.Tensor, zone: str) -> tf.Tensor:
    """Returns the zone's offset from UTC in seconds at each instant, int64 of the same shape."""
    table = load_zone(zone)
    changes, offsets = (tf.constant(t, tf.int64) for t in (table.changes, table.offsets))
    positions = tf.searchsorted(changes, tf.reshape(instant, [-1]), side="right")
    return tf.reshape(tf.gather(offsets, positions), tf.shape(instant))


def _parse_offset(
    text: tf.Tensor, pattern: str, groups: tuple[str, ...]
) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns whether each text has an offset from UTC, and the offset in seconds, else 0."""
    matches = tf.strings.regex_full_match(text, pattern)
    zone, sign = (_rewrite(text, matches, pattern, group) for group in groups[:2])
    hours, minutes = (_group(text, matches, pattern, group) for group in groups[2:])
    offset = hours * 3600 + minutes * 60
    return zone != "", tf.where(sign == "-", -offset, offset)


def _parse_clock(
    text: tf.Tensor, pattern: str, groups: tuple[str, ...]
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Returns whether each text is a time, its day since 0001-01-01, and its second of the day."""
    matches = tf.strings.regex_full_match(text, pattern)
    year, month, day, hour, minute, second = (
        _group(text, matches, pattern, group) for group in groups[:6]
    )
    is_short = tf.strings.length(_rewrite(text, matches, pattern, groups[0])) == 2
    year += tf.cast(is_short, tf.int64) * (1900 + 100 * tf.cast(year < SHORT_YEAR_PIVOT, tf.int64))
    half = tf.strings.lower(_rewrite(text, matches, pattern, groups[6]))
    # Tables also contain 14:40 PM and 00:40 AM.
    is_hour = hour < tf.where(half == "am", tf.constant(13, tf.int64), 24)
    in_half = hour % 12 + 12 * tf.cast(half == "pm", tf.int64)
    hour = tf.where((half == "") | (hour > 12), hour, in_half)
    is_valid = matches & is_hour & (minute < 60) & _is_date(year, month, day)
    days = _days_before_year(year) + _day_of_year(year, month, day)
    # A leap second, 60, must not begin another day.
    return is_valid, days, hour * 3600 + minute * 60 + tf.minimum(second, LAST_SECOND)


def _rewrite(text: tf.Tensor, matches: tf.Tensor, pattern: str, group: str) -> tf.Tensor:
    # Without anchors, the replacement would start at the first matching place within the text.
    return tf.where(matches, tf.strings.regex_replace(text, rf"^{pattern}$", group), "")


def _group(text: tf.Tensor, matches: tf.Tensor, pattern: str, group: str) -> tf.Tensor:
    # The leading zero turns an absent group into the number 0.
    return tf.strings.to_number("0" + _rewrite(text, matches, pattern, group), tf.int64)


def _moment_of_epoch(column: tf.Tensor, units_a_second: int, zone: str) -> Moment:
    if column.dtype.is_floating:
        is_number = tf.abs(column) < 1e17
        units = tf.cast(tf.where(is_number, column, 0.0), tf.int64)
    else:
        text = as_text(column)
        is_number = tf.strings.regex_full_match(text, EPOCH_NUMBER)
        whole = tf.strings.regex_replace(text, rf"^{EPOCH_NUMBER}$", r"\1")
        # TensorFlow reads no number with a plus.
        digits = tf.strings.regex_replace(whole, r"^\+", "")
        units = tf.strings.to_number(tf.where(is_number, digits, "0"), tf.int64)
    seconds = units // units_a_second
    if is_converted(zone):
        seconds += _zone_offset(seconds, zone)
    days = seconds // SECONDS_A_DAY + EPOCH_DAY
    return _moment(is_number & (days >= 0) & (days <= LAST_DAY), days, seconds % SECONDS_A_DAY)


def _moment(is_valid: tf.Tensor, days: tf.Tensor, second_of_day: tf.Tensor) -> Moment:
    """Returns the calendar fields of `days` since 0001-01-01, which is a Monday."""
    days = tf.clip_by_value(days, 0, LAST_DAY)
    # Dividing by the mean length of a year gives the right year or a neighbour of it.
    estimate = days * 400 // 146_097 + 1
    year = estimate - tf.cast(_days_before_year(estimate) > days, tf.int64)
    year += tf.cast(_days_before_year(year + 1) <= days, tf.int64)
    day_of_year = days - _days_before_year(year)
    # From 1 March on, a common year is one day behind the month table, which is of a leap year.
    day_of_leap_year = day_of_year + tf.cast((day_of_year >= 59) & ~_is_leap(year), tf.int64)
    month_ends = tf.constant(_MONTH_ENDS, tf.int64)
    months_before = tf.searchsorted(month_ends, tf.reshape(day_of_leap_year, [-1]), side="right")
    months_before = tf.reshape(tf.cast(months_before, tf.int64), tf.shape(days))
    return Moment(
        is_valid=is_valid,
        year=year,
        month=months_before + 1,
        day=day_of_leap_year - _days_before_month(months_before + 1) + 1,
        weekday=days % 7,
        hour=tf.cast(second_of_day // 60, tf.float32) / 60.0,
        day_of_year=day_of_year + 1,
        date=_count_days(days, second_of_day),
    )


def _count_days(days: tf.Tensor, second_of_day: tf.Tensor) -> tf.Tensor:
    seconds = (days - _DAY_2000) * SECONDS_A_DAY + second_of_day
    return tf.cast(tf.cast(seconds, tf.float64) / SECONDS_A_DAY, tf.float32)


def _days_before_year(year: tf.Tensor) -> tf.Tensor:
    """Returns the days from 0001-01-01 to 1 January of `year`."""
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400


def _days_before_month(month: tf.Tensor) -> tf.Tensor:
    """Returns the days of a leap year before `month`, which counts from 1."""
    return tf.gather(tf.constant((0, *_MONTH_ENDS), tf.int64), month - 1)


def _is_leap(year: tf.Tensor) -> tf.Tensor:
    return (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))


def _is_date(year: tf.Tensor, month: tf.Tensor, day: tf.Tensor) -> tf.Tensor:
    in_range = (year >= 1) & (year <= _LAST_YEAR) & (month >= 1) & (month <= 12) & (day >= 1)
    month = tf.clip_by_value(month, 1, 12)
    length = _days_before_month(month + 1) - _days_before_month(month)
    length -= tf.cast((month == 2) & ~_is_leap(year), tf.int64)
    return in_range & (day <= length)


def _day_of_year(year: tf.Tensor, month: tf.Tensor, day: tf.Tensor) -> tf.Tensor:
    """Returns the days of the year before the date."""
    month = tf.clip_by_value(month, 1, 12)
    after_february = tf.cast((month > 2) & ~_is_leap(year), tf.int64)
    return _days_before_month(month) - after_february + day - 1
