"""Cuts files into parts, which are written and repeated as a whole, and parts into slices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from components.tables.csv_file import iter_csv_file
from components.tables.file_block import FileBlock
from components.tables.parquet.parquet_file import iter_parquet_file
from components.tables.sources.table_path import TablePath
from pipeline.config import DataConfig

_SLICE_ROWS = 8192
"""The most rows of one call of the model; measured with the taxi model, calls of 1,024 rows reach
three quarters of the rows a second, calls of 4,096 rows no less."""


@dataclass(frozen=True)
class Slice:
    """Rows of one part that are scored together."""

    part: int
    first_row: int
    """Index of the first row in the file, counted from 0; ragged rows are not counted."""
    batch: pa.RecordBatch


def iter_slices(
    path: TablePath,
    data: DataConfig,
    columns: Sequence[str],
    part_rows: int,
    first_row: int = 0,
    last_row: int | None = None,
    skip_ragged: Callable[[], None] | None = None,
) -> Iterator[Slice]:
    """Yields the rows of a file from `first_row` to before `last_row`, in order.

    Raises:
      DataError: the file is damaged.
    """
    if data.source == "parquet":
        blocks = iter_parquet_file(path, columns, data.limits, first_row)
    else:
        blocks = iter_csv_file(path, data, columns, skip_ragged)
    for block in blocks:
        if last_row is not None and block.first_row >= last_row:
            return
        yield from _cut(block, part_rows, first_row, last_row)


def _cut(block: FileBlock, part_rows: int, first_row: int, last_row: int | None) -> Iterator[Slice]:
    start = max(block.first_row, first_row)
    end = block.first_row + block.batch.num_rows
    end = end if last_row is None else min(end, last_row)
    while start < end:
        part = start // part_rows
        # Slices of equal size: a short one at the end of each block would be a dear call.
        left = min(end, (part + 1) * part_rows) - start
        size = -(-left // -(-left // _SLICE_ROWS))
        yield Slice(part, start, block.batch.slice(start - block.first_row, size))
        start += size


def list_ranges(rows: int | None, part_rows: int) -> list[tuple[int, int | None]]:
    """Returns ranges of rows that processes can score apart from each other.

    A range of a Parquet file is one part. A CSV file is one range, since its rows can be found only
    by reading all rows before.

    Args:
      rows: the number of rows of a Parquet file; None for a CSV file.
    """
    if not rows:
        return [(0, None)]
    return [(start, min(start + part_rows, rows)) for start in range(0, rows, part_rows)]
