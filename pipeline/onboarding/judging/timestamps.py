"""Finds columns of times by trying the formats that a timestamp feature can have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from components.tables.timestamps import days_in_month
from pipeline.config.sections.features import Timestamp, TimestampPart
from pipeline.core.date_formats import EPOCH_UNITS, SHORT_YEAR_PIVOT
from pipeline.core.text import percent
from pipeline.core.zones import AS_WRITTEN, NONE, UTC
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.name_hints import is_time_name
from pipeline.onboarding.reading.arrays import Flags, Floats, Integers
from pipeline.onboarding.reading.columns import Column
from pipeline.onboarding.reading.dates import ISO, NAMED_MONTH, YEAR_LAST, is_written_as_date

_NEARLY_ALL = 0.98
"""Share of cells that must be valid times. Transform takes the rest for missing, and refuses a
column with 5 % of such cells (`max_unreadable`): 2 % leave room for a less lucky split."""
_MOST_CELLS_TRIED = 20_000
"""Bounds the time that regular expressions take."""
_PLAUSIBLE_YEARS = (1800, 2200)
"""Years outside are placeholders (year 1, 9999) or no years at all."""
_UTC_NAMES = ("utc", "etc/utc", "zulu", "gmt")
_SHOWN = {
    "iso": "such as 2026-11-20 or 2026-11-20T14:40",
    "month_first": "such as 11/20/2026",
    "day_first": "such as 20.11.2026",
}
"""An example of each format for the comment: not a cell of the table, which may be any."""
_OFFSETS_SHOWN = 3
_UTC_OFFSETS = {"Z", "UTC", "+00:00", "+0000", "-00:00", "-0000"}
_MONTHS_OF_A_TREND = 3
"""Different months from which a trend over the days is more than the parts of the calendar."""
_PLAUSIBLE_EPOCH = (3.2e8, 3.15e9)
"""Seconds since 1970: 1980 to 2069. Other whole numbers are more likely counts or identifiers."""


@dataclass(frozen=True)
class _Parts:
    """The parts of times; int64 [matching cells] each."""

    year: Integers
    month: Integers
    day: Integers
    hour: Integers
    minute: Integers
    is_morning: Flags
    """bool [matching cells]: whether the time says AM."""

    def is_valid(self) -> Flags:
        """Returns whether Transform can read each time and its year is plausible."""
        low, high = _PLAUSIBLE_YEARS
        is_date = (self.month >= 1) & (self.month <= 12) & (self.day >= 1)
        is_date &= self.day <= days_in_month(self.year, self.month)
        is_date &= (self.year >= low) & (self.year <= high)
        return is_date & (self.hour < np.where(self.is_morning, 13, 24)) & (self.minute < 60)


def guess_timestamp(column: Column) -> Guess[Timestamp] | None:
    """Returns the timestamp feature that fits `column`, or None if its values are not times."""
    if column.is_number and (epoch := _guess_epoch(column)):
        return epoch
    cells = column.cells.drop_null()[:_MOST_CELLS_TRIED]
    if not len(cells):
        return None
    for pattern, formats in ((ISO, ("iso",)), (YEAR_LAST, ("month_first", "day_first"))):
        found = pc.extract_regex(cells, pattern).drop_null()
        if len(found) >= _NEARLY_ALL * len(cells):
            return _choose_format(found, formats, len(cells), _guess_zone(found, column.zone))
    return None


def explain_unread_dates(column: Column) -> tuple[str, str]:
    """Returns why a column of dates cannot be a timestamp feature, and what to do about it.

    Returns two empty strings if the column holds no dates.
    """
    cells = column.cells.drop_null()[:_MOST_CELLS_TRIED]
    is_named = pc.match_substring_regex(cells, NAMED_MONTH)
    is_date = pc.or_(is_named, is_written_as_date(cells))
    if not len(cells) or pc.mean(is_date).as_py() < _NEARLY_ALL:
        return "", ""
    if pc.all(pc.match_substring_regex(cells, ISO)).as_py():
        low, high = _PLAUSIBLE_YEARS
        reason = f"dates, some not in the calendar or not in {low} to {high}"
        return reason, "empty those cells to use it"
    advice = "write them as 2026-11-20T14:40 to use it"
    if pc.all(is_named).as_py():
        return "dates with names of months, which cannot be read", advice
    return "dates in several formats, some of which could be misread", advice


def _choose_format(
    found: pa.StructArray, formats: tuple[str, ...], tried: int, zone: Guess[str]
) -> Guess[Timestamp] | None:
    """Returns the format that makes the most cells valid dates.

    If day and month could be either way round, points between the parts mean that the day is first.
    """
    parts = {name: _parse_parts(found, name) for name in formats}
    valid = {name: int(p.is_valid().sum()) for name, p in parts.items()}
    ambiguous = len(formats) == 2 and valid["month_first"] == valid["day_first"]
    best = max(formats, key=lambda name: valid[name])
    if ambiguous and pc.all(pc.equal(found.field("mark"), ".")).as_py():
        best = "day_first"
    share = valid[best] / tried
    if share < _NEARLY_ALL:
        return None
    why = f"{percent(share)} of the values are valid times of format {best}, {_SHOWN[best]}"
    if ambiguous:
        why += "; check it: day and month could be swapped"
    why += f"; {zone.why}"
    feature = Timestamp(format=best, zone=zone.value, parts=_select_varying_parts(parts[best]))
    return Guess(feature, why)


def _guess_zone(found: pa.StructArray, stored: str) -> Guess[str]:
    """Returns the zone of a timestamp feature, with the reason.

    Args:
      found: the parsed cells.
      stored: the time zone that a Parquet file stores with the column, or an empty text.
    """
    if stored.lower() in _UTC_NAMES:
        return Guess(UTC, "stored in UTC")
    if stored:
        return Guess(stored, f"stored with the time zone {stored}")
    zones = set(pc.unique(found.field("zone")).to_pylist())
    if zones == {""}:
        return Guess(NONE, "no time has an offset from UTC")
    if "" in zones:
        return Guess(
            AS_WRITTEN, "some times have an offset from UTC and others have none: check `zone`"
        )
    if zones <= _UTC_OFFSETS:
        return Guess(UTC, "every time is written in UTC")
    offsets = sorted({"Z" if z in _UTC_OFFSETS else f"{z[:3]}:{z[-2:]}" for z in zones})
    if len(offsets) == 1:
        return Guess(offsets[0], "every time has this offset from UTC")
    shown = ", ".join(offsets[:_OFFSETS_SHOWN])
    more = " ..." if len(offsets) > _OFFSETS_SHOWN else ""
    return Guess(
        AS_WRITTEN,
        f"times have the offsets {shown}{more}: the clock times as written count, the offsets do "
        "not. If one zone explains them, name it in `zone`: rows to predict may then have any "
        "offset",
    )


def _parse_parts(found: pa.StructArray, date_format: str) -> _Parts:
    def number(*names: str) -> Integers:
        known = [found.field(n) for n in names if found.type.get_field_index(n) >= 0]
        text = pc.binary_join_element_wise(*known, "") if len(known) > 1 else known[0]
        padded = pc.binary_join_element_wise("0", text, "")
        digits: Integers = pc.cast(padded, pa.int64()).to_numpy()
        return digits

    year = number("year")
    month, day = number("month", "compact_month"), number("day", "compact_day")
    year = np.where(year < 100, year + np.where(year < SHORT_YEAR_PIVOT, 2000, 1900), year)
    if date_format == "day_first":  # The pattern takes the first number for the month.
        month, day = day, month
    is_morning: Flags = pc.equal(pc.utf8_lower(found.field("half")), "am").to_numpy(False)
    return _Parts(year, month, day, number("hour"), number("minute"), is_morning)


def _guess_epoch(column: Column) -> Guess[Timestamp] | None:
    """Returns a feature for whole numbers in the range of recent times, if the name means time."""
    if not is_time_name(column.name) or not column.scan.is_integral:
        return None
    for name, unit in EPOCH_UNITS.items():
        low, high = (limit * unit for limit in _PLAUSIBLE_EPOCH)
        if low <= column.scan.low and column.scan.high <= high:
            return Guess(
                Timestamp(
                    format=name, parts=_select_varying_parts(_parts_of_epoch(column.numbers / unit))
                ),
                f"a time by its name; all values are {name.removeprefix('epoch_')} since 1970, "
                "between 1980 and 2069",
            )
    return None


def _parts_of_epoch(seconds: Floats) -> _Parts:
    moments = seconds.astype("datetime64[s]")
    months = moments.astype("datetime64[M]").astype(np.int64)
    days = moments.astype("datetime64[D]") - moments.astype("datetime64[M]").astype("datetime64[D]")
    day_of_month = days.astype(np.int64) + 1
    minutes = seconds.astype(np.int64) // 60
    never = np.zeros(len(seconds), np.bool_)
    return _Parts(
        1970 + months // 12,
        months % 12 + 1,
        day_of_month,
        minutes // 60 % 24,
        minutes % 60,
        is_morning=never,
    )


def _select_varying_parts(parts: _Parts) -> tuple[TimestampPart, ...]:
    """Returns the parts that differ between rows; a constant part would tell the model nothing.

    The day of the year and the date are added where a trend over the days can be learned.
    """
    candidates: dict[TimestampPart, Integers] = {
        "hour": parts.hour,
        "weekday": parts.day,
        "day": parts.day,
        "month": parts.month,
        "year": parts.year,
    }
    valid = parts.is_valid()
    varying = tuple(n for n, v in candidates.items() if len(np.unique(v[valid])) > 1)
    if len(np.unique(parts.year[valid] * 12 + parts.month[valid])) >= _MONTHS_OF_A_TREND:
        varying += ("day_of_year", "date")
    return varying or ("weekday",)
