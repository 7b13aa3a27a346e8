"""How dates and points in time are written: what may be one by the look of it."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

_MARK = r"\s*[-/.]\s*"
_CLOCK = (
    r"(?:(?:[T,]|\s)\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::\d{2}(?:[.,]\d+)?)?"
    r"\s*(?P<half>[AaPp][Mm])?)?"
    r"\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?\s*$"
)
ISO = (
    rf"^\s*(?P<year>\d{{4}})(?:{_MARK}(?P<first>\d{{1,2}}){_MARK}(?P<second>\d{{1,2}})"
    rf"|(?P<first8>\d{{2}})(?P<second8>\d{{2}})){_CLOCK}"
)
YEAR_LAST = (
    rf"^\s*(?P<first>\d{{1,2}})\s*(?P<mark>[-/.])\s*(?P<second>\d{{1,2}})"
    rf"{_MARK}(?P<year>\d{{4}}|\d{{2}}){_CLOCK}"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
NAMED_MONTH = (
    rf"(?i)^\s*(?:[a-z]{{3,9}}\.?,?\s+)?(?:\d{{1,2}}(?:st|nd|rd|th)?[-\s./]*{_MONTH}[-\s,./]*\d{{2,4}}"
    rf"|{_MONTH}\s*\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}|\d{{4}}[-\s./]*{_MONTH}[-\s./]*\d{{1,2}})\b"
)


def is_written_as_date(cells: pa.Array) -> pa.Array:
    """Whether each cell, text [n], is written as a date that a timestamp feature can read."""
    return pc.or_(pc.match_substring_regex(cells, ISO), pc.match_substring_regex(cells, YEAR_LAST))
