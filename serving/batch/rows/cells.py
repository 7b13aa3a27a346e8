"""Casts the cells of a batch to the types of the model's inputs, and finds the bad rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from components.tables.arrays import find_first_infinite
from components.tables.casting import ARROW_TYPES, BadCellError, cast_to_configured
from pipeline.config import ColumnType, CsvConfig
from pipeline.core.text import shorten
from serving.rows.signature import DType

_TYPES: Mapping[DType, ColumnType] = {"float32": "float", "int64": "int", "string": "string"}
_EXPECTED: Mapping[DType, str] = {
    "float32": "is not a number",
    "int64": "is not an integer of 64 bits",
    "string": "is not text",
}
_INFINITE = "is infinite, or larger than any float of 32 bits"
_LONGEST_VALUE = 60
"""Characters of a cell that a reason repeats."""

_Cast = Callable[[pa.Array], pa.Array]


@dataclass(frozen=True)
class BadCell:
    """A cell that is not of its column's type."""

    row: int
    """Index within the batch."""
    column: str
    reason: str


def cast_columns(
    batch: pa.RecordBatch, types: Mapping[str, DType], csv: CsvConfig | None
) -> tuple[dict[str, pa.Array], dict[int, BadCell]]:
    """Returns the columns of `types` as float32, int64 or utf8, and the first bad cell of each row.

    A bad cell is null in its column.

    Args:
      csv: how numbers and missing values are written; None for arrays as stored in Parquet.
    """
    columns: dict[str, pa.Array] = {}
    bad: dict[int, BadCell] = {}
    for name, dtype in types.items():
        array = batch.column(batch.schema.get_field_index(name))
        columns[name], cells = _cast_column(array, name, dtype, csv)
        for cell in cells:
            bad.setdefault(cell.row, cell)
    return columns, bad


def find_missing(batch: pa.RecordBatch, column: str) -> dict[int, BadCell]:
    """Returns the rows in which `column` is missing, for the key."""
    cells = batch.column(batch.schema.get_field_index(column))
    if not cells.null_count:
        return {}
    rows = np.flatnonzero(pc.is_null(cells).to_numpy(zero_copy_only=False)).tolist()
    return {row: BadCell(row, column, "the key is missing") for row in rows}


def _cast_column(
    array: pa.Array, name: str, dtype: DType, csv: CsvConfig | None
) -> tuple[pa.Array, list[BadCell]]:
    def cast(cells: pa.Array) -> pa.Array:
        return _cast_finite(cells, dtype, csv)

    try:
        return cast(array), []
    except BadCellError:
        rows = list(_find_bad(array, cast, 0))
    cells = [BadCell(row, name, _explain(array[row : row + 1], dtype, csv)) for row in rows]
    return _cast_others(array, rows, ARROW_TYPES[_TYPES[dtype]], cast), cells


def _cast_finite(array: pa.Array, dtype: DType, csv: CsvConfig | None) -> pa.Array:
    """Casts as the training table was cast, which refuses infinite numbers, too."""
    cast = cast_to_configured(array, _TYPES[dtype], csv)
    row = find_first_infinite(cast)
    if row is not None:
        raise BadCellError(row, array[row].as_py())
    return cast


def _find_bad(array: pa.Array, cast: _Cast, start: int) -> Iterator[int]:
    """Yields the index of each cell that cannot be cast, found by bisection."""
    try:
        cast(array)
    except BadCellError:
        if len(array) == 1:
            yield start
            return
        middle = len(array) // 2
        yield from _find_bad(array[:middle], cast, start)
        yield from _find_bad(array[middle:], cast, start + middle)


def _cast_others(array: pa.Array, bad: Sequence[int], kind: pa.DataType, cast: _Cast) -> pa.Array:
    """Returns the array cast, with null for the bad cells."""
    if len(bad) == len(array):
        return pa.nulls(len(array), kind)
    is_bad = np.zeros(len(array), np.bool_)
    is_bad[bad] = True
    good = cast(array.filter(pa.array(~is_bad)))
    return good.take(pa.array(np.cumsum(~is_bad) - 1, mask=is_bad))


def _explain(cell: pa.Array, dtype: DType, csv: CsvConfig | None) -> str:
    try:
        cast_to_configured(cell, _TYPES[dtype], csv)
        fault = _INFINITE
    except BadCellError:
        fault = _EXPECTED[dtype]
    return f"{shorten(repr(cell[0].as_py()), _LONGEST_VALUE)} {fault}"
