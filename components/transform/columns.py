"""Converts the raw columns that the ExampleGen writes to tensors, and tensors to columns."""

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
    """The raw columns that a Transform graph takes, each with one value a row."""

    missing: Mapping[str, Any]
    """For each column the value that the graph takes for a missing value."""

    @staticmethod
    def from_representations(
        representations: Mapping[str, schema_pb2.TensorRepresentation],
    ) -> RawColumns:
        """Returns the columns by the curated schema's TensorRepresentations."""
        missing = {}
        for name, representation in representations.items():
            default = representation.dense_tensor.default_value
            missing[name] = getattr(default, default.WhichOneof("kind"))
        return RawColumns(missing)

    def fill_missing(self, table: pa.Table) -> dict[str, pa.Array]:
        """Returns each column as an array [rows], with missing values filled in.

        Raises:
          ValueError: a row holds several values.
        """
        return {
            name: _fill(name, table.column(name).combine_chunks(), missing)
            for name, missing in self.missing.items()
        }

    def to_batch(self, table: pa.Table, schema: pa.Schema) -> pa.RecordBatch:
        """Returns the columns as lists of one value a row, which TFX takes."""
        values = self.fill_missing(table)
        lists = [_to_lists(values[name], width=1) for name in schema.names]
        return pa.RecordBatch.from_arrays(lists, schema=schema)

    def to_tensors(self, table: pa.Table) -> dict[str, Any]:
        """Returns the columns as arrays or tensors [rows, 1]; text is a string tensor."""
        return {name: _to_tensor(values) for name, values in self.fill_missing(table).items()}


def _fill(name: str, cells: pa.Array, missing: Any) -> pa.Array:
    values = cells.flatten()
    if len(values) != len(cells) - cells.null_count:
        raise ValueError(f"column '{name}' has rows of several values")
    if not cells.null_count:
        return values
    is_missing = np.asarray(cells.is_null())
    places = np.cumsum(~is_missing) - 1
    return values.take(pa.array(places, mask=is_missing)).fill_null(missing)


def _to_tensor(values: pa.Array) -> Any:
    if pa.types.is_large_binary(values.type) or pa.types.is_binary(values.type):
        return _to_text_tensor(values.dictionary_encode())
    return values.to_numpy(zero_copy_only=False)[:, np.newaxis]


def _to_text_tensor(encoded: pa.DictionaryArray) -> tf.Tensor:
    """Returns a string tensor [rows, 1].

    Only distinct texts become Python objects: an object for each row would take longer than all
    other steps together.
    """
    distinct = tf.constant(encoded.dictionary.to_pylist(), tf.string)
    return tf.gather(distinct, encoded.indices.to_numpy())[:, tf.newaxis]


def _to_lists(values: pa.Array, width: int) -> pa.Array:
    offsets = np.arange(len(values) // width + 1, dtype=np.int64) * width
    return pa.LargeListArray.from_arrays(pa.array(offsets), values)


def to_table(tensors: Mapping[str, tf.Tensor]) -> pa.Table:
    """Returns a table with a column of lists for each tensor [rows, width], ordered by name."""
    arrays = {}
    for name in sorted(tensors):
        values = tensors[name].numpy()
        arrays[name] = _to_lists(pa.array(values.reshape(-1)), values.shape[1])
    return pa.table(arrays)
