"""Writes a split as Parquet shards in the form that TFX's columnar readers require.

In that form, columns are `large_list<int64 | float32 | large_binary>` with one value per list, and
the file has the Arrow schema. A missing value is a null list: an empty list would make the tensor
ragged.
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

# Readers process shards in parallel. The bound in bytes is for tables with thousands of columns.
_SHARD_ROWS = 1 << 17
_SHARD_BYTES = 64 << 20
# TFX reads one row group at a time. Larger row groups are read and written at most a tenth faster.
_ROW_GROUP_ROWS = 1 << 15
# A split with fewer rows than this may stay one file, which is not read in parallel.
_FEWEST_ROWS_TO_HALVE = 10_000
_UNFINISHED = ".unfinished"

_STORED_TYPES = {pa.int64(): pa.int64(), pa.float32(): pa.float32(), pa.string(): pa.large_binary()}


class ShardWriter:
    """Collects the rows of one split, and writes a shard whenever enough rows are collected.

    A thread of `pool` writes while the caller reads on. At most one shard is written at a time, so
    that the memory is bounded.
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
        """Adds rows of int64, float32 and utf8 columns, which are written in the order of calls."""
        self._batches.append(batch)
        self._buffered_rows += batch.num_rows
        self._buffered_bytes += batch.nbytes
        if self._buffered_rows >= _SHARD_ROWS or self._buffered_bytes >= _SHARD_BYTES:
            self._flush()

    def close(self) -> int:
        """Writes the remaining rows, renames the shards, and returns the number of all rows."""
        # At least two shards, so that later components can read in parallel.
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
        # No reader filters by value, and statistics take a sixth of the time.
        write_statistics=False,
        # Keeps Arrow's own name for list items, which TFX expects when it compares schemas.
        use_compliant_nested_type=False,
    )
    # TFX's launcher waits for the disk at the end. Syncing here costs no time: the caller reads on.
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
