"""Casts the cells of a batch to the types of the model's inputs, and finds the bad rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from components.tables.arrays import find_first_infinite
from components.tables.casting import ARROW_TYPES, BadCellError, cast_to_configured
from components.tables.parquet.stored_types import write_times
from components.tables.timestamps import find_unreadable
from pipeline.config import ColumnType, CsvConfig
from pipeline.core.date_formats import TimeColumn
from pipeline.core.text import shorten
from serving.rows.signature import DType

_TYPES: Mapping[DType, ColumnType] = {"float32": "float", "int64": "int", "string": "string"}
_EXPECTED: Mapping[DType, str] = {
    "float32": "is not a number",
    "int64": "is not an integer of 64 bits",
    "string": "is not text",
}
_INFINITE = "is infinite, or larger than any float of 32 bits"
_CODE = (
    "is a code, and the training table has whole numbers in this column; if the code means a "
    "number, set data.types to int"
)
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
    batch: pa.RecordBatch,
    types: Mapping[str, DType],
    csv: CsvConfig | None,
    configured: Collection[str] = (),
    times: Mapping[str, TimeColumn] = MappingProxyType({}),
) -> tuple[dict[str, pa.Array], dict[int, BadCell]]:
    """Returns the columns of `types` as float32, int64 or utf8, and the first bad cell of each row.

    A bad cell is null in its column. "007" is a bad cell of an integer column whose type was
    inferred: in the training table it would have made the column text, in which 007 is not 7.

    Args:
      csv: how numbers and missing values are written; None for arrays as stored in Parquet.
      configured: the columns whose types the configuration sets.
      times: how the model reads times, by column. Times in another format are bad cells; dates and
        times of Parquet files are written in the format.
    """
    columns: dict[str, pa.Array] = {}
    bad: dict[int, BadCell] = {}
    for name, dtype in types.items():
        array = batch.column(batch.schema.get_field_index(name))
        takes_codes = dtype != "int64" or name in configured
        if name in times and _is_time(array.type):
            array = write_times(array, times[name].format)
        columns[name], cells = _cast_column(array, name, dtype, csv, takes_codes)
        if name in times:
            columns[name], unreadable = _refuse_times(columns[name], name, times[name])
            cells += unreadable
        for cell in cells:
            bad.setdefault(cell.row, cell)
    return columns, bad


def _is_time(kind: pa.DataType) -> bool:
    return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))


def _refuse_times(column: pa.Array, name: str, times: TimeColumn) -> tuple[pa.Array, list[BadCell]]:
    """Returns the column with null for each value that is no time, and these values' cells."""
    is_bad = find_unreadable(column, times)
    if not is_bad.any():
        return column, []
    form = f"is no time in the format {times.wanted}"
    cells = [
        BadCell(row, name, f"{_show(column[row].as_py())} {form}")
        for row in np.flatnonzero(is_bad).tolist()
    ]
    return pc.if_else(pa.array(is_bad), pa.scalar(None, column.type), column), cells


def find_missing(batch: pa.RecordBatch, column: str) -> dict[int, BadCell]:
    """Returns the rows in which `column` is missing, for the key."""
    cells = batch.column(batch.schema.get_field_index(column))
    if not cells.null_count:
        return {}
    rows = np.flatnonzero(pc.is_null(cells).to_numpy(zero_copy_only=False)).tolist()
    return {row: BadCell(row, column, "the key is missing") for row in rows}


def _cast_column(
    array: pa.Array, name: str, dtype: DType, csv: CsvConfig | None, takes_codes: bool
) -> tuple[pa.Array, list[BadCell]]:
    def cast(cells: pa.Array) -> pa.Array:
        return _cast_finite(cells, dtype, csv, takes_codes)

    try:
        return cast(array), []
    except BadCellError:
        rows = list(_find_bad(array, cast, 0))
    cells = [BadCell(row, name, _explain(array[row : row + 1], dtype, csv)) for row in rows]
    return _cast_others(array, rows, ARROW_TYPES[_TYPES[dtype]], cast), cells


def _cast_finite(
    array: pa.Array, dtype: DType, csv: CsvConfig | None, takes_codes: bool
) -> pa.Array:
    """Casts as the training table was cast, which refuses infinite numbers, too."""
    cast = cast_to_configured(array, _TYPES[dtype], csv, takes_codes=takes_codes)
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
        fault = _INFINITE if dtype == "float32" else _CODE
    except BadCellError:
        fault = _EXPECTED[dtype]
    return f"{_show(cell[0].as_py())} {fault}"


def _show(value: object) -> str:
    return shorten(repr(value), _LONGEST_VALUE)
