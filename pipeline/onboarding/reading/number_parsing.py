"""Parses text cells as numbers, by the rules that ExampleGen uses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from components.tables.numerals import normalize_numbers
from pipeline.config import CsvConfig
from pipeline.onboarding.reading.arrays import Floats

_NUMBER = r"^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
LARGEST = float(np.finfo(np.float32).max)
"""The largest number that the pipeline can store: it stores numbers as float32."""


@dataclass(frozen=True)
class ParsedNumbers:
    """The cells of one column, parsed as numbers."""

    values: Floats
    """float64 [rows]; NaN where the cell is missing or not a number. May exceed `LARGEST`."""
    non_numbers: pa.Array
    """The non-empty cells that are not finite float64 numbers: text [cells], stripped."""


def parse_numbers(cells: pa.Array, csv: CsvConfig) -> ParsedNumbers:
    """Parses `cells`, text [rows] with nulls, as numbers; surrounding blanks are ignored."""
    readable = normalize_numbers(cells, csv)
    try:
        values = pc.cast(readable, pa.float64())
    except pa.ArrowInvalid:
        readable = pc.utf8_trim_whitespace(readable)
        matches = pc.match_substring_regex(readable, _NUMBER)
        values = pc.cast(pc.if_else(matches, readable, pa.scalar(None, pa.string())), pa.float64())
    numbers = values.to_numpy(zero_copy_only=False)
    # Infinity would turn every statistic of the column into NaN.
    numbers = np.where(np.isfinite(numbers), numbers, np.nan)
    rest = pc.utf8_trim_whitespace(cells.filter(pa.array(np.isnan(numbers)))).drop_null()
    return ParsedNumbers(numbers, rest.filter(pc.not_equal(rest, "")))
