"""Reads files of examples in pieces: Parquet, and gzip TFRecords of tf.Examples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow as tf
from apache_beam.io.filesystems import FileSystems
from tfx_bsl.tfxio.tfxio import TFXIO

from components.transform.columns import RawColumns

_PIECE_ROWS = 1 << 15
"""The most rows of a piece. Fewer rows mean more calls of TensorFlow, more rows more memory."""
_PIECE_BYTES = 16 << 20
"""The most bytes of a piece, which bounds the memory of wide tables and long texts."""


class PieceRows(NamedTuple):
    """The rows of a piece in a Parquet file."""

    group: int
    """The row group."""
    first: int
    """The first row within the row group."""
    length: int


@dataclass(frozen=True)
class Examples(ABC):
    """Reads the columns that a Transform graph takes from files of one format."""

    columns: RawColumns

    @abstractmethod
    def read_pieces(self, path: str) -> Iterator[Any]:
        """Yields all rows of a file in pieces. An empty file has one piece of no rows."""

    @abstractmethod
    def to_tensors(self, piece: Any) -> dict[str, Any]:
        """Returns the columns of a piece for TensorFlow, [rows, 1] each."""


class ParquetExamples(Examples):
    """Parquet files whose columns are lists of at most one value a row."""

    def read_pieces(self, path: str) -> Iterator[pa.Table]:
        for _, piece in self.locate_pieces(path):
            yield piece

    def locate_pieces(self, path: str) -> Iterator[tuple[PieceRows, pa.Table]]:
        """Yields the pieces of a file with their places in it, for `read_piece`."""
        with FileSystems.open(path) as file:
            yield from _locate_pieces(pq.ParquetFile(file), tuple(self.columns.missing))

    def read_piece(self, path: str, rows: PieceRows) -> pa.Table:
        """Returns one piece. The row group that was read last stays in memory."""
        return _read_group(path, rows.group, tuple(self.columns.missing)).slice(*rows[1:])

    def to_tensors(self, piece: pa.Table) -> dict[str, Any]:
        return self.columns.to_tensors(piece)


@dataclass(frozen=True)
class TFRecordExamples(Examples):
    """Gzip TFRecord files of tf.Examples, which TFX's ExampleGens write."""

    dtypes: dict[str, tf.DType]

    @classmethod
    def from_tfxio(cls, tfxio: TFXIO) -> TFRecordExamples:
        """Returns a reader of the columns that `tfxio` reads, without Beam in between."""
        specs = tfxio.TensorAdapter().OriginalTypeSpecs()
        dtypes = {name: spec.dtype for name, spec in specs.items()}
        return cls(RawColumns.from_representations(tfxio.TensorRepresentations()), dtypes)

    def read_pieces(self, path: str) -> Iterator[tf.Tensor]:
        batch = tf.constant([], tf.string)
        for batch in tf.data.TFRecordDataset(path, "GZIP").batch(_PIECE_ROWS):
            size = int(tf.reduce_sum(tf.strings.length(batch)))
            for start, stop in _cut(len(batch), size):
                yield batch[start:stop]
        if not len(batch):
            yield batch

    def to_tensors(self, piece: tf.Tensor) -> dict[str, Any]:
        spec = {
            name: tf.io.FixedLenFeature([1], self.dtypes[name], missing)
            for name, missing in self.columns.missing.items()
        }
        parsed: dict[str, Any] = tf.io.parse_example(piece, spec)
        return parsed


def find_files(pattern: str) -> list[str]:
    """Returns the paths that match `pattern`, ordered by name."""
    return sorted(file.path for file in FileSystems.match([pattern])[0].metadata_list)


def _locate_pieces(
    file: pq.ParquetFile, columns: tuple[str, ...]
) -> Iterator[tuple[PieceRows, pa.Table]]:
    """Yields pieces; of an empty file an empty piece, so that its output has columns."""
    for index in range(max(file.num_row_groups, 1)):
        group = _read_rows(file, index, columns)
        for start, stop in _cut(group.num_rows, group.nbytes):
            piece = group.slice(start, stop - start)
            yield PieceRows(index, start, len(piece)), piece


def _read_rows(file: pq.ParquetFile, group: int, columns: tuple[str, ...]) -> pa.Table:
    """Returns a row group; group 0 of a file without row groups has no rows."""
    if not file.num_row_groups:
        return file.schema_arrow.empty_table().select(list(columns))
    return file.read_row_group(group, columns=list(columns))


@lru_cache(maxsize=1)
def _read_group(path: str, group: int, columns: tuple[str, ...]) -> pa.Table:
    """Returns a row group, which several pieces in a row come from."""
    with FileSystems.open(path) as file:
        return _read_rows(pq.ParquetFile(file), group, columns)


def _cut(row_count: int, size: int) -> Iterator[tuple[int, int]]:
    """Yields the first row and the end of each piece of `row_count` rows that take `size` bytes."""
    # A text tensor of TensorFlow takes several times the bytes of an Arrow array.
    rows = min(_PIECE_ROWS, max(_PIECE_BYTES * row_count // max(size, 1), 1))
    for start in range(0, max(row_count, 1), rows):
        yield start, start + rows
