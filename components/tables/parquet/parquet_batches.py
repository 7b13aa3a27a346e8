"""Reads a Parquet file in batches whose memory is bounded, whatever the file makes of its bytes.

Arrow counts a batch in rows. A few bytes of a file can stand for gigabytes of text: a dictionary
holds a long text once, and each row refers to the text by a number.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from components.tables.compression import UnpackedBudget
from components.tables.sources.table_path import TablePath, open_bytes
from pipeline.config.limits import LimitsConfig
from pipeline.core.errors import DataError
from pipeline.core.stores.listing import StoreObject

_BATCH_ROWS = 1 << 15


def iter_bounded_batches(
    path: TablePath, columns: Sequence[str], limits: LimitsConfig, groups: range | None = None
) -> Iterator[pa.RecordBatch]:
    """Yields `columns` in batches of at most 32,768 rows and `limits.batch_bytes`, decoded.

    Args:
      groups: the row groups to read, by default all.

    Raises:
      DataError: one row is larger than a batch may be, or the file becomes more than
        `limits.unpacked_ratio` times its size.
    """
    file = open_parquet(path)
    found = _RowGroups(file.metadata, set(columns), groups)
    if not found.held:  # Arrow 18 would look for the group before the first
        return
    repeated = found.find_repeated_texts()
    if repeated:
        file = open_parquet(path, read_dictionary=repeated)
    budget = UnpackedBudget(path, limits, found.share)
    rows = found.choose_batch_rows(limits.batch_bytes)
    for batch in file.iter_batches(rows, row_groups=found.held, columns=list(columns)):
        for part in _split(batch, path, limits.batch_bytes):
            budget.spend(_decoded_bytes(part))
            yield part


def open_parquet(path: TablePath, **options: Any) -> pq.ParquetFile:
    """Opens the file; the footer of an object is fetched once for several openings."""
    if isinstance(path, Path):
        return pq.ParquetFile(path, **options)
    return pq.ParquetFile(open_bytes(path), metadata=_read_footer(path), **options)


# A file is opened four times in a row, and its footer takes two answers of the store each time.
@functools.lru_cache(maxsize=4)
def _read_footer(found: StoreObject) -> pq.FileMetaData:
    with open_bytes(found) as file:
        return pq.ParquetFile(file).metadata


class _RowGroups:
    """What the footer of a file tells about some of its row groups, and some of its columns."""

    def __init__(self, metadata: pq.FileMetaData, columns: set[str], groups: range | None) -> None:
        self._metadata = metadata
        self._columns = columns
        chosen = range(metadata.num_row_groups) if groups is None else groups
        self.held = [index for index in chosen if metadata.row_group(index).num_rows]
        """The row groups that hold rows."""

    @property
    def share(self) -> float:
        """The share of the file's rows."""
        rows = sum(self._metadata.row_group(index).num_rows for index in self.held)
        return float(rows / self._metadata.num_rows)

    def find_repeated_texts(self) -> list[str]:
        """Returns the columns of text that are stored as dictionaries alone.

        Other columns store long texts once for each row, so that the file's own sizes bound them.
        As dictionaries they would be read thirty times more slowly, since Arrow would hash each
        text.
        """
        return [
            chunks[0].path_in_schema
            for chunks in self._column_chunks()
            if chunks[0].physical_type == "BYTE_ARRAY"
            and all(c.has_dictionary_page and c.encodings.count("PLAIN") <= 1 for c in chunks)
        ]

    def choose_batch_rows(self, most_bytes: int) -> int:
        """Returns the rows of a batch that has `most_bytes` or less at the mean size of a row."""
        fewest = _BATCH_ROWS
        for group in map(self._metadata.row_group, self.held):
            size = sum(
                chunk.total_uncompressed_size
                for chunk in map(group.column, range(group.num_columns))
                if chunk.path_in_schema in self._columns
            )
            fewest = min(fewest, most_bytes * group.num_rows // max(size, 1))
        return max(fewest, 1)

    def _column_chunks(self) -> Iterator[list[pq.ColumnChunkMetaData]]:
        groups = [self._metadata.row_group(index) for index in self.held]
        for position in range(self._metadata.num_columns):
            if self._metadata.schema.column(position).path in self._columns:
                yield [group.column(position) for group in groups]


def _split(batch: pa.RecordBatch, path: TablePath, most_bytes: int) -> Iterator[pa.RecordBatch]:
    """Yields the batch in parts that have at most `most_bytes` when they are decoded."""
    if _decoded_bytes(batch) <= most_bytes:
        yield batch
    elif batch.num_rows == 1:
        raise DataError(
            f"{path}: a row is larger than data.limits.batch_bytes, {most_bytes:,}",
            "raise the limit, or leave the longest column out of the file",
        )
    else:
        half = batch.num_rows // 2
        yield from _split(batch.slice(0, half), path, most_bytes)
        yield from _split(batch.slice(half), path, most_bytes)


def _decoded_bytes(batch: pa.RecordBatch) -> int:
    return sum(map(_column_bytes, batch.columns))


def _column_bytes(array: pa.Array) -> int:
    if not pa.types.is_dictionary(array.type) or not _is_text(array.type.value_type):
        return int(array.nbytes)
    lengths = pc.binary_length(array.dictionary)
    return int(pc.sum(pc.take(pc.cast(lengths, pa.int64()), array.indices)).as_py() or 0)


def _is_text(kind: pa.DataType) -> bool:
    tests = (
        pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary
    )  # fmt: skip
    return any(is_one(kind) for is_one in tests)
