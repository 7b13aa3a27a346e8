"""From raw columns as the ExampleGen writes them to tensors, and from tensors to columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class RawColumns:
    """The raw columns that a transformation takes, each one value a row."""

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

    def tensors(self, table: pa.Table) -> dict[str, Any]:
        """By column: numbers [rows, 1]; of texts, the distinct ones and where they occur."""
        return {
            name: _tensor(name, table.column(name).combine_chunks(), missing)
            for name, missing in self.missing.items()
        }


@tf.function(autograph=False, reduce_retracing=True)
def _spread(distinct: tf.Tensor, places: tf.Tensor) -> tf.Tensor:
    return tf.gather(distinct, places)[:, tf.newaxis]


def _tensor(name: str, cells: pa.Array, missing: Any) -> Any:
    values = cells.flatten()
    is_present = np.asarray(cells.is_valid()) if cells.null_count else None
    if len(values) != len(cells) - cells.null_count:
        raise ValueError(f"column '{name}' has rows with other than one value")
    if pa.types.is_large_binary(values.type) or pa.types.is_binary(values.type):
        return _texts(values, is_present, missing)
    return _filled(values.to_numpy(zero_copy_only=False), is_present, missing)[:, np.newaxis]


def _texts(values: pa.Array, is_present: Array | None, missing: bytes) -> tf.Tensor:
    """Only distinct texts become Python objects: a tenth of a microsecond each would add up."""
    encoded = values.dictionary_encode()
    distinct = [*encoded.dictionary.to_pylist(), missing]
    places = encoded.indices.to_numpy(zero_copy_only=False)
    return _spread(tf.constant(distinct, tf.string), _filled(places, is_present, len(distinct) - 1))


def _filled(values: Array, is_present: Array | None, missing: Any) -> Array:
    if is_present is None:
        return values
    filled = np.full(len(is_present), missing, values.dtype)
    filled[is_present] = values
    return filled


def to_table(tensors: Mapping[str, tf.Tensor]) -> pa.Table:
    """Columns of large lists, each as long as the tensor [rows, width] is wide."""
    arrays = {}
    for name in sorted(tensors):
        values = tensors[name].numpy()
        rows, width = values.shape
        offsets = pa.array(np.arange(rows + 1, dtype=np.int64) * width)
        arrays[name] = pa.LargeListArray.from_arrays(offsets, pa.array(values.reshape(-1)))
    return pa.table(arrays)
