"""The one table of how dates and points in time are written.

Three engines read times and build what they need from this table: Arrow sorts rows by time to
split them (components/tables/timestamps.py), `init` guesses a column's format
(pipeline/onboarding/judging/timestamps.py), and the TensorFlow graph parses timestamp features in
training and serving (trainer_module/encoding/timestamps.py). All three use RE2's notation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TextFormat = Literal["iso", "month_first", "day_first"]
EpochFormat = Literal["epoch_seconds", "epoch_milliseconds"]
TimestampFormat = Literal["iso", "month_first", "day_first", "epoch_seconds", "epoch_milliseconds"]
"""The values of `features.<column>.format`."""

EPOCH_UNITS: dict[EpochFormat, int] = {"epoch_seconds": 1, "epoch_milliseconds": 1000}
"""Units a second of the formats that count from 1970."""

SHORT_YEAR_PIVOT = 69
"""POSIX reads two-digit years from 69 on as 1969 to 1999, and smaller ones as 2000 to 2068."""

MARK = r"\s*[-/.]\s*"
"""Between the parts of a date in a `feature_pattern`."""
_FEATURE_CLOCK = (
    r"(?:(?:[T,]|\s)\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::\d{2}(?:[.,]\d+)?)?"
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
    `hour`, `minute`, `half` (AM or PM), and of an offset from UTC `zone`, `sign`, `zone_hours` and
    `zone_minutes`.
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

    Also has the groups `second` and `fraction`.
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
