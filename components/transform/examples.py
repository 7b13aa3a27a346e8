"""Files of examples, read piece by piece: Parquet, and gzip TFRecords of tf.Examples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow as tf
from apache_beam.io.filesystems import FileSystems
from tfx_bsl.tfxio.tfxio import TFXIO

from components.transform.columns import RawColumns

_PIECE_ROWS = 1 << 15
_PIECE_BYTES = 16 << 20


@dataclass(frozen=True)
class Examples(ABC):
    """Files of one format, from which the columns that a graph takes are read."""

    columns: RawColumns

    @abstractmethod
    def pieces(self, path: str) -> Iterator[Any]:
        """All rows of a file, some of them at a time; also of an empty file a piece."""

    @abstractmethod
    def tensors(self, piece: Any) -> dict[str, Any]:
        """The columns as TensorFlow takes them, [rows, 1] each."""


class ParquetExamples(Examples):
    """Parquet files of lists."""

    def pieces(self, path: str) -> Iterator[pa.Table]:
        with FileSystems.open(path) as file:
            yield from _pieces_of(pq.ParquetFile(file), list(self.columns.missing))

    def tensors(self, piece: pa.Table) -> dict[str, Any]:
        return self.columns.tensors(piece)


@dataclass(frozen=True)
class TFRecordExamples(Examples):
    """Gzip TFRecord files of tf.Examples, where TensorFlow reads: as in TFX, which writes them."""

    dtypes: dict[str, tf.DType]

    @classmethod
    def of(cls, tfxio: TFXIO) -> TFRecordExamples:
        """What TFX would read, without Beam between the records and TensorFlow."""
        specs = tfxio.TensorAdapter().OriginalTypeSpecs()
        dtypes = {name: spec.dtype for name, spec in specs.items()}
        return cls(RawColumns.of(tfxio.TensorRepresentations()), dtypes)

    def pieces(self, path: str) -> Iterator[tf.Tensor]:
        batch = tf.constant([], tf.string)
        for batch in tf.data.TFRecordDataset(path, "GZIP").batch(_PIECE_ROWS):
            size = int(tf.reduce_sum(tf.strings.length(batch)))
            for start, stop in _cuts(len(batch), size):
                yield batch[start:stop]
        if not len(batch):
            yield batch

    def tensors(self, piece: tf.Tensor) -> dict[str, Any]:
        spec = {
            name: tf.io.FixedLenFeature([1], self.dtypes[name], missing)
            for name, missing in self.columns.missing.items()
        }
        parsed: dict[str, Any] = tf.io.parse_example(piece, spec)
        return parsed


def files_of(pattern: str) -> list[str]:
    """In the order of their names."""
    return sorted(file.path for file in FileSystems.match([pattern])[0].metadata_list)


def _pieces_of(file: pq.ParquetFile, columns: list[str]) -> Iterator[pa.Table]:
    """Also of an empty file one, so that what is made of it has columns."""
    for index in range(file.num_row_groups):
        group = file.read_row_group(index, columns=columns)
        for start, stop in _cuts(group.num_rows, group.nbytes):
            yield group.slice(start, stop - start)
    if not file.num_row_groups:
        yield file.schema_arrow.empty_table().select(columns)


def _cuts(row_count: int, size: int) -> Iterator[tuple[int, int]]:
    """Where pieces of so many rows, which take `size` bytes, begin and end."""
    # TensorFlow's tensors of text take several times what Arrow's do.
    rows = min(_PIECE_ROWS, max(_PIECE_BYTES * row_count // max(size, 1), 1))
    for start in range(0, max(row_count, 1), rows):
        yield start, start + rows
