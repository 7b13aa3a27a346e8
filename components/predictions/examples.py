"""Reads the raw rows of a split of Examples, Parquet or TFRecord, in the order of row numbers.

The number of a row counts the rows of the split from 0: the files in the order of their names, the
rows in the order of each file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import tensorflow as tf
from apache_beam.io.filesystems import FileSystems
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx.components.util import examples_utils
from tfx.proto import example_gen_pb2
from tfx_bsl.coders.example_coder import ExamplesToRecordBatchDecoder

from components.predictions.terms import Array

_PARQUET_BATCH_ROWS = 1 << 15
"""The most rows of a batch: the row group that ColumnarExampleGen writes."""
_TFRECORD_BATCH_ROWS = 1 << 13
"""Four times as many rows take no less time, and four times the memory."""

_TYPES = {
    schema_pb2.INT: pa.int64(),
    schema_pb2.FLOAT: pa.float32(),
    schema_pb2.BYTES: pa.large_binary(),
}


@dataclass(frozen=True)
class SplitFiles(ABC):
    """The files of a split, and which columns are read from them."""

    paths: tuple[str, ...]
    """Ordered by name."""
    columns: tuple[str, ...]

    @abstractmethod
    def count_rows(self, path: str) -> int:
        """Returns the number of rows of a file."""

    @abstractmethod
    def read_batches(
        self, path: str, rows: Array | None = None
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yields batches of a file in order, each with the number of its first row in the file.

        Each cell is a list of its values, null if missing: TFXIO reads the same. Batches that hold
        none of `rows`, ascending row numbers in the file, are left out.
        """


@dataclass(frozen=True)
class _ParquetFiles(SplitFiles):
    def count_rows(self, path: str) -> int:
        with FileSystems.open(path) as file:
            return int(pq.read_metadata(file).num_rows)

    def read_batches(
        self, path: str, rows: Array | None = None
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        with FileSystems.open(path) as file:
            source, first = pq.ParquetFile(file), 0
            for index in range(source.num_row_groups):
                count = source.metadata.row_group(index).num_rows
                if _has_any(rows, first, count):
                    group = source.read_row_group(index, columns=list(self.columns))
                    yield from _number_batches(group.to_batches(_PARQUET_BATCH_ROWS), first)
                first += count


@dataclass(frozen=True)
class _TFRecordFiles(SplitFiles):
    """Gzip files of tf.Examples, which TFX's ExampleGens write."""

    schema: bytes
    """The serialized schema of the columns."""

    def count_rows(self, path: str) -> int:
        batches = tf.data.TFRecordDataset(path, "GZIP").batch(_TFRECORD_BATCH_ROWS)
        return sum(len(batch) for batch in batches)

    def read_batches(
        self, path: str, rows: Array | None = None
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        decoder, first = ExamplesToRecordBatchDecoder(self.schema), 0
        dataset = tf.data.TFRecordDataset(path, "GZIP").batch(_TFRECORD_BATCH_ROWS)
        for serialized in dataset.as_numpy_iterator():
            if _has_any(rows, first, len(serialized)):
                yield first, decoder.DecodeBatch(serialized)
            first += len(serialized)


def find_split_files(
    examples: Any, split: str, schema: schema_pb2.Schema, columns: Sequence[str]
) -> SplitFiles:
    """Returns the files of a split of the artifact; see `read_examples`."""
    [pattern] = examples_utils.get_split_file_patterns([examples], split)
    paths = tuple(sorted(f.path for f in FileSystems.match([pattern])[0].metadata_list))
    payload = examples_utils.get_payload_format(examples)
    if payload == example_gen_pb2.PayloadFormat.FORMAT_PARQUET:
        return _ParquetFiles(paths, tuple(columns))
    features = [feature for feature in schema.feature if feature.name in set(columns)]
    projected = schema_pb2.Schema(feature=features)
    return _TFRecordFiles(paths, tuple(columns), projected.SerializeToString())


def read_examples(
    examples: Any,
    split: str,
    schema: schema_pb2.Schema,
    columns: Sequence[str],
    rows: Array | None = None,
) -> pa.Table:
    """Returns raw cells of a split, one row per example, in the order of row numbers.

    Each column is int64, float32 or large_binary (UTF-8 text), null where the cell is missing. The
    memory holds the chosen rows and one batch.

    Args:
      examples: the Examples artifact.
      split: the split's name.
      schema: the curated schema, which types the columns.
      columns: the columns to read.
      rows: ascending row numbers, int64 [n]; None for all rows.

    Raises:
      ValueError: a row holds several values.
    """
    files = find_split_files(examples, split, schema, columns)
    types = {feature.name: _TYPES[feature.type] for feature in schema.feature}
    target = pa.schema([(name, types[name]) for name in columns])
    tables, start = [target.empty_table()], 0
    for index, path in enumerate(files.paths):
        if index:
            start += files.count_rows(files.paths[index - 1])
        chosen = None if rows is None else rows - start
        for first, batch in files.read_batches(path, chosen):
            table = pa.table({name: _flatten(batch.column(name), name) for name in columns})
            if chosen is not None:
                begin, end = np.searchsorted(chosen, (first, first + len(table)))
                table = table.take(pa.array(chosen[begin:end] - first))
            tables.append(table.cast(target))
    return pa.concat_tables(tables)


def _has_any(rows: Array | None, first: int, count: int) -> bool:
    """Whether one of `rows` lies among the `count` rows from `first` on; None stands for all."""
    if rows is None:
        return True
    begin, end = np.searchsorted(rows, (first, first + count))
    return bool(begin < end)


def _number_batches(
    batches: Iterable[pa.RecordBatch], first: int
) -> Iterator[tuple[int, pa.RecordBatch]]:
    for batch in batches:
        yield first, batch
        first += batch.num_rows


def _flatten(cells: pa.Array, name: str) -> pa.Array:
    """Returns the single value of each list, and null for a list that is null or empty."""
    if pa.types.is_null(cells.type):
        return cells
    lengths = pc.fill_null(pc.list_value_length(cells), 0).to_numpy()
    if lengths.max(initial=0) > 1:
        raise ValueError(f"column '{name}' has rows of several values")
    missing = lengths == 0
    return cells.flatten().take(pa.array(np.cumsum(lengths) - 1, mask=missing))
