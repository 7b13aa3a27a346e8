"""Writes a split as Parquet shards in the form that TFX's columnar readers require.

In that form, columns are `large_list<int64 | float32 | large_binary>` with one value per list, and
the file has the Arrow schema. A missing value is a null list: an empty list would make the tensor
ragged.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
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
UNFINISHED = ".unfinished"
"""The directory of shards that no reader may see, within the directory of their split."""

_STORED_TYPES = {pa.int64(): pa.int64(), pa.float32(): pa.float32(), pa.string(): pa.large_binary()}


class ShardWriter:
    """Collects the rows of one split, and writes a shard whenever enough rows are collected.

    A thread of `pool` writes while the caller reads on. At most one shard is written at a time, so
    that the memory is bounded. The shards lie in the directory `UNFINISHED` of the split, under
    names of this writer alone, until `publish_shards` takes those that count.
    """

    def __init__(self, directory: Path, pool: Executor, attempt: str = "") -> None:
        """Creates a writer.

        Args:
          directory: the directory of the split, for which `prepare_directory` was called.
          attempt: begins the names of the shards, and differs between the writers of a split.
        """
        self._directory = directory / UNFINISHED
        self._pool = pool
        self._attempt = attempt
        self._batches: list[pa.RecordBatch] = []
        self._buffered_rows = 0
        self._buffered_bytes = 0
        self._writing: Future[None] | None = None
        self._shards: list[str] = []
        self._rows = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Adds rows of int64, float32 and utf8 columns, which are written in the order of calls."""
        self._batches.append(batch)
        self._buffered_rows += batch.num_rows
        self._buffered_bytes += batch.nbytes
        if self._buffered_rows >= _SHARD_ROWS or self._buffered_bytes >= _SHARD_BYTES:
            self.cut()

    def cut(self) -> None:
        """Begins a new shard, unless no row was added since the last cut."""
        self._flush(1)

    def close(self, *, is_whole: bool) -> tuple[list[str], int]:
        """Writes the remaining rows; returns the names of the shards and the number of all rows.

        Args:
          is_whole: whether this writer got all rows of the split. Then the split gets two shards
            at least, unless it is small, so that later components can read in parallel.
        """
        is_halved = is_whole and not self._shards and self._buffered_rows >= _FEWEST_ROWS_TO_HALVE
        self._flush(2 if is_halved else 1)
        if self._writing:
            self._writing.result()
        return self._shards, self._rows

    def _flush(self, pieces: int) -> None:
        if not self._buffered_rows:
            return
        table = pa.Table.from_batches(self._batches)
        self._batches, self._buffered_rows, self._buffered_bytes = [], 0, 0
        self._rows += table.num_rows
        size = -(-table.num_rows // pieces)
        for begin in range(0, table.num_rows, size):
            if self._writing:
                self._writing.result()
            name = f"{self._attempt}{len(self._shards):05d}.parquet"
            piece = table.slice(begin, size)
            self._writing = self._pool.submit(_write_shard, piece, self._directory / name)
            self._shards.append(name)


def prepare_directory(directory: Path) -> None:
    """Creates the directory of a split, without the shards of an attempt that was given up."""
    shutil.rmtree(directory / UNFINISHED, ignore_errors=True)
    (directory / UNFINISHED).mkdir(parents=True)


def publish_shards(directory: Path, names: Sequence[str]) -> None:
    """Gives the shards their final names, in this order, and removes all other unfinished shards.

    Writers never create the directory `UNFINISHED`. So an attempt that outlives its job, such as
    one behind a broken network, cannot add a shard from here on.
    """
    for number, name in enumerate(names):
        final = f"data-{number:05d}-of-{len(names):05d}.parquet"
        (directory / UNFINISHED / name).rename(directory / final)
    shutil.rmtree(directory / UNFINISHED)


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
