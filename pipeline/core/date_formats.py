"""The one table of how dates and points in time are written.

Three engines read times and build what they need from this table: Arrow sorts rows by time to
split them (components/tables/timestamps.py), `init` guesses a column's format
(pipeline/onboarding/judging/timestamps.py), and the TensorFlow graph parses timestamp features in
training and serving (trainer_module/encoding/timestamps.py). All three use RE2's notation. The
server asks `TimeColumn` before the graph: the graph takes a text that it cannot read for a missing
time, and a client would never hear of it.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from datetime import date
from typing import Literal

from pipeline.core.zones import AS_WRITTEN, NONE, is_converted

TextFormat = Literal["iso", "month_first", "day_first"]
EpochFormat = Literal["epoch_seconds", "epoch_milliseconds"]
TimestampFormat = Literal["iso", "month_first", "day_first", "epoch_seconds", "epoch_milliseconds"]
"""The values of `features.<column>.format`."""

EPOCH_UNITS: dict[EpochFormat, int] = {"epoch_seconds": 1, "epoch_milliseconds": 1000}
"""Units a second of the formats that count from 1970."""

EPOCH_NUMBER = r"\s*([+-]?\d{1,17})(?:\.\d*)?\s*"
"""What a timestamp feature of such a format reads in a column of text."""

SECONDS_A_DAY = 86_400
LAST_SECOND = 59
"""The last second of a minute without a leap second."""
EPOCH_DAY = 719_162
"""Days from 0001-01-01 to 1970-01-01."""
LAST_DAY = 3_652_058
"""Days from 0001-01-01 to 9999-12-31."""

SHORT_YEAR_PIVOT = 69
"""POSIX reads two-digit years from 69 on as 1969 to 1999, and smaller ones as 2000 to 2068."""

MARK = r"\s*[-/.]\s*"
"""Between the parts of a date in a `feature_pattern`."""
_FEATURE_CLOCK = (
    r"(?:(?:[T,]|\s)\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"\s*(?P<half>[AaPp][Mm])?)?"
    r"\s*(?P<zone>Z|UTC|(?P<sign>[+-])(?P<zone_hours>\d{2}):?(?P<zone_minutes>\d{2}))?"
)
_SPLIT_CLOCK = (
    "(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{1,9}))?)? *(?P<half>[AaPp][Mm])?"
)
_SPLIT_ZONE = "(?P<zone>Z|UTC|(?P<sign>[+-])(?P<zone_hours>[0-9]{2}):?(?P<zone_minutes>[0-9]{2}))"


@dataclass(frozen=True)
class DateFormat:
    """One way to write a time as text.

    Both patterns match the whole text, without anchors, and name the groups `year`, `month`, `day`,
    `hour`, `minute`, `second`, `half` (AM or PM), and of an offset from UTC `zone`, `sign`,
    `zone_hours` and `zone_minutes`.
    """

    examples: tuple[str, ...]
    """Times as the user writes them."""
    feature_pattern: str
    """What a timestamp feature reads: also `.` and `/`, blanks, and years of two digits.

    ISO dates without marks put their parts into the groups `compact_month` and `compact_day`
    instead.
    """
    split_pattern: str
    """What a split by time reads, which needs the order of the rows.

    Also has the group `fraction`.
    """


def _date_format(examples: tuple[str, ...], feature_date: str, split_date: str) -> DateFormat:
    return DateFormat(
        examples,
        rf"\s*{feature_date}{_FEATURE_CLOCK}\s*",
        rf"\s*{split_date}(?:[ T]+{_SPLIT_CLOCK})?(?: *{_SPLIT_ZONE})?\s*",
    )


DATE_FORMATS: dict[TextFormat, DateFormat] = {
    "iso": _date_format(
        ("2026-11-20", "2026-11-20T14:40:00"),
        rf"(?P<year>\d{{4}})(?:{MARK}(?P<month>\d{{1,2}}){MARK}(?P<day>\d{{1,2}})"
        r"|(?P<compact_month>\d{2})(?P<compact_day>\d{2}))",
        "(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})",
    ),
    "month_first": _date_format(
        ("11/20/2026 02:40:00 PM",),
        rf"(?P<month>\d{{1,2}}){MARK}(?P<day>\d{{1,2}}){MARK}(?P<year>\d{{4}}|\d{{2}})",
        "(?P<month>[0-9]{1,2})[/-](?P<day>[0-9]{1,2})[/-](?P<year>[0-9]{4})",
    ),
    "day_first": _date_format(
        ("20.11.2026 14:40",),
        rf"(?P<day>\d{{1,2}}){MARK}(?P<month>\d{{1,2}}){MARK}(?P<year>\d{{4}}|\d{{2}})",
        "(?P<day>[0-9]{1,2})[./-](?P<month>[0-9]{1,2})[./-](?P<year>[0-9]{4})",
    ),
}
"""In the order of preference where a column fits several: 11/12/2026 is read month first."""


@dataclass(frozen=True)
class TimeColumn:
    """How the times of a column are written that a model reads: a timestamp feature's settings."""

    format: TimestampFormat
    zone: str = AS_WRITTEN

    @property
    def example(self) -> str:
        """A time in the format, such as 2026-11-20T14:40:00."""
        if self.format == "epoch_seconds" or self.format == "epoch_milliseconds":
            return str(_EXAMPLE_SECONDS * EPOCH_UNITS[self.format])
        return DATE_FORMATS[self.format].examples[-1]

    @property
    def wanted(self) -> str:
        """What a value must be, such as: iso, such as 2026-11-20T14:40:00."""
        offset = "" if self.takes_offset else ", without an offset from UTC"
        return f"{self.format}, such as {self.example}{offset}"

    @property
    def takes_offset(self) -> bool:
        """Whether a time may have an offset from UTC; times since 1970 cannot have one."""
        return self.zone != NONE or self.format in EPOCH_UNITS

    def reads(self, text: str) -> bool:
        """Whether the graph reads the text as a time; it takes any other text for a missing time.

        `find_unreadable` in components/tables/timestamps.py applies this rule to whole columns.
        """
        if self.format == "epoch_seconds" or self.format == "epoch_milliseconds":
            number = _compile(EPOCH_NUMBER).fullmatch(text)
            first, last = self.epoch_range()
            return number is not None and first <= int(number[1]) <= last
        match = _compile(DATE_FORMATS[self.format].feature_pattern).fullmatch(text)
        return match is not None and self._exists(match.groupdict(default=""))

    def _exists(self, parts: dict[str, str]) -> bool:
        year, month, day, hour, minute, zone_hours, zone_minutes = (
            int(parts[name] or parts.get(f"compact_{name}") or 0)
            for name in ("year", "month", "day", "hour", "minute", "zone_hours", "zone_minutes")
        )
        if len(parts["year"]) == 2:
            year += 2000 if year < SHORT_YEAR_PIVOT else 1900
        try:
            date(year, month, day)
        except ValueError:
            return False
        has_hour = hour < (13 if parts["half"].lower() == "am" else 24)
        is_offset = not is_converted(self.zone) or zone_hours * 60 + zone_minutes < 24 * 60
        is_taken = self.takes_offset or not parts["zone"]
        return has_hour and minute < 60 and is_offset and is_taken

    def epoch_range(self) -> tuple[int, int]:
        """Returns the first and the last number of the years 1 to 9999, for an epoch format.

        In a zone, the graph finds the range by the zone's clock; this range is that of UTC.
        """
        units = EPOCH_UNITS[self.format] * SECONDS_A_DAY  # type: ignore[index]
        return -EPOCH_DAY * units, (LAST_DAY - EPOCH_DAY + 1) * units - 1


_EXAMPLE_SECONDS = 1_795_185_600
"""2026-11-20T14:40:00Z."""


@functools.cache
def _compile(pattern: str) -> re.Pattern[str]:
    """Compiles a pattern in RE2's notation, in which a digit and a blank are ASCII characters."""
    return re.compile(pattern.replace(r"\s", r"[\t\n\f\r ]"), re.ASCII)
