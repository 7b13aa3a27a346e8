"""Finds the cells that a column's type hides from the hash of a row.

A column is read by its kind: as int64, float32 or text. Rows must stay in their splits when the
kind changes, so the hash takes a cell as the file has it. float32 rounds whole numbers above 2**24,
and text keeps the marks of `data.csv`, such as the comma in `12,5`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from components.tables.arrays import LARGEST_EXACT_IN_FLOAT32, is_present, replace_nan_with_null
from components.tables.numerals import normalize_numbers
from components.tables.parquet.stored_types import cast_to_text
from components.tables.splitting.cell_hash import NUMBER
from pipeline.config import CsvConfig


def find_exact_cells(stored: pa.Array, cast: pa.Array, csv: CsvConfig | None) -> pa.Array | None:
    """Returns the cells to hash in place of `cast`, or None if `cast` has the same hash.

    Args:
      stored: the cells of the file.
      cast: the same cells by the type of the column.
      csv: how numbers are written; None for an array as stored in Parquet.
    """
    if pa.types.is_string(cast.type):
        return _find_exact_text(stored, cast, csv)
    if pa.types.is_boolean(stored.type):
        return cast_to_text(stored)
    return _restore_large_numbers(stored, cast, csv) if pa.types.is_floating(cast.type) else None


def _find_exact_text(stored: pa.Array, text: pa.Array, csv: CsvConfig | None) -> pa.Array | None:
    if pa.types.is_float32(stored.type):
        # The shortest text of such a number, such as 1.2345679e+08, is another number as float64.
        return pc.cast(replace_nan_with_null(stored), pa.float64())
    return _normalize_text(text, csv) if csv is not None and _has_marks(csv) else None


def _has_marks(csv: CsvConfig) -> bool:
    return bool(csv.units or csv.thousands or csv.decimal != ".")


def _normalize_text(text: pa.Array, csv: CsvConfig) -> pa.Array | None:
    """Returns text in which numbers are plain; None if the text has no numbers with marks."""
    plain = normalize_numbers(text, csv)
    is_marked = pc.and_(pc.match_substring_regex(plain, NUMBER), pc.not_equal(plain, text))
    return pc.if_else(is_marked, plain, text) if pc.any(is_marked).as_py() else None


def _restore_large_numbers(
    stored: pa.Array, cast: pa.Array, csv: CsvConfig | None
) -> pa.Array | None:
    """Returns float64 with whole numbers unrounded; None if float32 rounds none of them."""
    numbers = cast.to_numpy(zero_copy_only=False).astype(np.float64)
    rows = np.flatnonzero(np.abs(numbers) >= LARGEST_EXACT_IN_FLOAT32)
    if not len(rows):
        return None
    exact = _read_as_float64(stored.take(pa.array(rows)), csv)
    numbers[rows] = np.where(exact == np.floor(exact), exact, numbers[rows])
    return pa.array(numbers, mask=~is_present(cast))


def _read_as_float64(numbers: pa.Array, csv: CsvConfig | None) -> npt.NDArray[np.float64]:
    if pa.types.is_string(numbers.type):
        plain = numbers if csv is None else normalize_numbers(numbers, csv)
        numbers = pc.utf8_trim_whitespace(plain)
    cells = pc.cast(numbers, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(cells, np.float64)
