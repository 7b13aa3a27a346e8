"""Which cells are numbers, by the same rules the ExampleGen will read them with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from components.tables.numerals import plain_numbers
from pipeline.config import CsvConfig
from pipeline.onboarding.reading.arrays import Floats

_NUMBER = r"^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Parsed:
    """A column of text, read as numbers."""

    values: Floats
    """float64 [rows]; NaN where the cell is missing or no number."""
    odd: pa.Array
    """The cells that are no number the pipeline can hold, without the blanks around them, as
    text [odd cells]."""


def parse_numbers(cells: pa.Array, csv: CsvConfig) -> Parsed:
    """Reads `cells`, text [rows] with nulls, as numbers, without regard to blanks around them."""
    readable = plain_numbers(cells, csv)
    try:
        values = pc.cast(readable, pa.float64())
    except pa.ArrowInvalid:
        readable = pc.utf8_trim_whitespace(readable)
        matches = pc.match_substring_regex(readable, _NUMBER)
        values = pc.cast(pc.if_else(matches, readable, pa.scalar(None, pa.string())), pa.float64())
    numbers = values.to_numpy(zero_copy_only=False)
    # Infinity and what float32 cannot hold would turn every statistic of the column into NaN.
    numbers = np.where(np.abs(numbers) <= _LARGEST, numbers, np.nan)
    odd = pc.utf8_trim_whitespace(cells.filter(pa.array(np.isnan(numbers)))).drop_null()
    return Parsed(numbers, odd.filter(pc.not_equal(odd, "")))
