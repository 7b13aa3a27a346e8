"""Writes a split as Parquet shards in the form that TFX's columnar readers understand.

That form is: columns `large_list<int64 | float32 | large_binary>` with one value a list, a missing
value as a missing list (an empty list would make the tensor ragged), the Arrow schema in the file.
"""

from __future__ import annotations

from concurrent.futures import Executor, Future
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from components.tables.arrays import is_present
from pipeline.core.files import sync

# TFX reads a row group at a time; larger ones are read and written no faster by more than a tenth.
# Shards are what is read in parallel. The bound in bytes is for tables with thousands of columns.
_SHARD_ROWS = 1 << 17
_SHARD_BYTES = 64 << 20
_ROW_GROUP_ROWS = 1 << 15
_FEWEST_ROWS_TO_HALVE = 10_000
_UNFINISHED = ".unfinished"

_STORED_TYPES = {pa.int64(): pa.int64(), pa.float32(): pa.float32(), pa.string(): pa.large_binary()}


class ShardWriter:
    """Collects the rows of one split and writes a shard whenever there are enough.

    Writing goes on in `pool` while the next rows are read; never more than one shard waits.
    """

    def __init__(self, directory: Path, pool: Executor) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        for leftover in directory.glob(f"*{_UNFINISHED}"):
            leftover.unlink()
        self._directory = directory
        self._pool = pool
        self._batches: list[pa.RecordBatch] = []
        self._buffered_rows = 0
        self._buffered_bytes = 0
        self._writing: Future[None] | None = None
        self._shards = 0
        self._rows = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Takes rows of int64, float32 and utf8 columns, in the order they are to be written."""
        self._batches.append(batch)
        self._buffered_rows += batch.num_rows
        self._buffered_bytes += batch.nbytes
        if self._buffered_rows >= _SHARD_ROWS or self._buffered_bytes >= _SHARD_BYTES:
            self._flush()

    def close(self) -> int:
        """Writes what is left, gives the shards their final names, and returns the rows written."""
        # Two shards at least, so that what follows can read in parallel.
        halves = 2 if not self._shards and self._buffered_rows >= _FEWEST_ROWS_TO_HALVE else 1
        self._flush(halves)
        if self._writing:
            self._writing.result()
        for number in range(self._shards):
            final = f"data-{number:05d}-of-{self._shards:05d}.parquet"
            self._temporary_path(number).rename(self._directory / final)
        return self._rows

    def _flush(self, pieces: int = 1) -> None:
        if not self._buffered_rows:
            return
        table = pa.Table.from_batches(self._batches)
        self._batches, self._buffered_rows, self._buffered_bytes = [], 0, 0
        self._rows += table.num_rows
        size = -(-table.num_rows // pieces)
        for begin in range(0, table.num_rows, size):
            if self._writing:
                self._writing.result()
            piece, path = table.slice(begin, size), self._temporary_path(self._shards)
            self._writing = self._pool.submit(_write_shard, piece, path)
            self._shards += 1

    def _temporary_path(self, number: int) -> Path:
        return self._directory / f"shard-{number:05d}{_UNFINISHED}"


def _write_shard(table: pa.Table, path: Path) -> None:
    columns = [_wrap_in_lists(column) for column in table.columns]
    pq.write_table(
        pa.table(columns, names=table.column_names),
        path,
        row_group_size=_ROW_GROUP_ROWS,
        # Nobody filters these files by value, and it is a sixth of the work.
        write_statistics=False,
        # Arrow's own name for list items: TFX compares schemas by it.
        use_compliant_nested_type=False,
    )
    # TFX's launcher waits for the disk at the end; here it costs nothing, as other rows are read.
    sync(str(path))


def _wrap_in_lists(column: pa.ChunkedArray) -> pa.Array:
    kind = _STORED_TYPES[column.type]
    cells = pa.concat_arrays([pc.cast(chunk, kind) for chunk in column.chunks])
    if not cells.null_count:
        return pa.LargeListArray.from_arrays(np.arange(len(cells) + 1), cells)
    present = is_present(cells)
    offsets = np.zeros(len(cells) + 1, np.int64)
    np.cumsum(present, out=offsets[1:])
    buffers = [pa.array(present).buffers()[1], pa.py_buffer(offsets)]
    return pa.Array.from_buffers(
        pa.large_list(kind), len(cells), buffers, children=[cells.drop_null()]
    )
