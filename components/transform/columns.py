"""From raw columns as the ExampleGen writes them to tensors, and from tensors to columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2


@dataclass(frozen=True)
class RawColumns:
    """The raw columns that a graph takes, each one value a row."""

    missing: Mapping[str, Any]
    """What stands for a missing value in the graph, by column."""

    @staticmethod
    def of(representations: Mapping[str, schema_pb2.TensorRepresentation]) -> RawColumns:
        """The columns as the curated schema tells TFX to read them."""
        missing = {}
        for name, representation in representations.items():
            default = representation.dense_tensor.default_value
            missing[name] = getattr(default, default.WhichOneof("kind"))
        return RawColumns(missing)

    def values(self, table: pa.Table) -> dict[str, pa.Array]:
        """One value a row by column, also where it is missing."""
        return {
            name: _filled(name, table.column(name).combine_chunks(), missing)
            for name, missing in self.missing.items()
        }

    def batch(self, table: pa.Table, schema: pa.Schema) -> pa.RecordBatch:
        """The same in lists, as TFX takes them."""
        values = self.values(table)
        lists = [_lists(values[name], width=1) for name in schema.names]
        return pa.RecordBatch.from_arrays(lists, schema=schema)

    def tensors(self, table: pa.Table) -> dict[str, Any]:
        """The same as TensorFlow takes them, [rows, 1] each."""
        return {name: _tensor(values) for name, values in self.values(table).items()}


def _filled(name: str, cells: pa.Array, missing: Any) -> pa.Array:
    values = cells.flatten()
    if len(values) != len(cells) - cells.null_count:
        raise ValueError(f"column '{name}' has rows of several values")
    if not cells.null_count:
        return values
    is_missing = np.asarray(cells.is_null())
    places = np.cumsum(~is_missing) - 1
    return values.take(pa.array(places, mask=is_missing)).fill_null(missing)


def _tensor(values: pa.Array) -> Any:
    if pa.types.is_large_binary(values.type) or pa.types.is_binary(values.type):
        return _texts(values.dictionary_encode())
    return values.to_numpy(zero_copy_only=False)[:, np.newaxis]


def _texts(encoded: pa.DictionaryArray) -> tf.Tensor:
    """Only distinct texts become Python objects: one a row would take longer than all else."""
    distinct = tf.constant(encoded.dictionary.to_pylist(), tf.string)
    return tf.gather(distinct, encoded.indices.to_numpy())[:, tf.newaxis]


def _lists(values: pa.Array, width: int) -> pa.Array:
    offsets = np.arange(len(values) // width + 1, dtype=np.int64) * width
    return pa.LargeListArray.from_arrays(pa.array(offsets), values)


def to_table(tensors: Mapping[str, tf.Tensor]) -> pa.Table:
    """Columns of large lists, each as long as the tensor [rows, width] is wide."""
    arrays = {}
    for name in sorted(tensors):
        values = tensors[name].numpy()
        arrays[name] = _lists(pa.array(values.reshape(-1)), values.shape[1])
    return pa.table(arrays)
