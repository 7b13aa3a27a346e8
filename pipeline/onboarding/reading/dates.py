"""Recognises cells that look like dates, readable or not, before any format is chosen."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.date_formats import DATE_FORMATS, MARK

ISO = f"^{DATE_FORMATS['iso'].feature_pattern}$"
_CAPTURED_MARK = r"\s*(?P<mark>[-/.])\s*"
YEAR_LAST = f"^{DATE_FORMATS['month_first'].feature_pattern.replace(MARK, _CAPTURED_MARK, 1)}$"
"""Matches month-first and day-first dates; names the groups as if the month came first.

The group `mark` is what stands between the first two parts.
"""
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
NAMED_MONTH = (
    rf"(?i)^\s*(?:[a-z]{{3,9}}\.?,?\s+)?(?:\d{{1,2}}(?:st|nd|rd|th)?[-\s./]*{_MONTH}[-\s,./]*\d{{2,4}}"
    rf"|{_MONTH}\s*\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}|\d{{4}}[-\s./]*{_MONTH}[-\s./]*\d{{1,2}})\b"
)


def is_written_as_date(cells: pa.Array) -> pa.Array:
    """Returns bool [n]: whether each cell, text [n], looks like a date that a feature can read."""
    return pc.or_(pc.match_substring_regex(cells, ISO), pc.match_substring_regex(cells, YEAR_LAST))
