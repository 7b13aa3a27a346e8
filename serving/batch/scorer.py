"""Scorer: calls a model with Arrow columns, and returns its outputs as Arrow columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.contracts import Output
from pipeline.core.contracts import Signature as SignatureName
from pipeline.core.date_formats import TimeColumn
from pipeline.core.errors import ConfigError
from serving.model.saved_model import SavedModel
from serving.rows.signature import MISSING_VALUES, DType, Tensor
from serving.rows.values import Array

_OUTPUT_TYPES: Mapping[DType, pa.DataType] = {
    "float32": pa.float32(),
    "int64": pa.int64(),
    "string": pa.string(),
}


class Scorer:
    """A loaded model; several threads may call it at once.

    The outputs are columns by name: `probability` and `class` for two classes, `class` and
    `probability_CLASS` for each of more classes, `prediction` for regression. Another model's
    output with several values in a row becomes the columns `NAME_0`, `NAME_1`, ...
    """

    def __init__(self, directory: str, threads: int) -> None:
        """Loads the model; `threads` is the number of cores that one operation may use.

        Raises:
          ConfigError: the directory holds no model that can be loaded, or one without a fixed
            number of outputs.
        """
        self._model = SavedModel(directory, threads)
        signature = self._model.signatures[SignatureName.SERVING_DEFAULT]
        self._inputs = signature.inputs
        # A thousand names of classes in each row would take longer than the predictions.
        self._outputs = tuple(t for t in signature.outputs if t.name != Output.CLASSES)
        self.call = self._model.select_outputs(signature.name, [t.name for t in self._outputs])
        self._names = {t.name: self._name_columns(t) for t in self._outputs}

    @property
    def types(self) -> dict[str, DType]:
        """The type of each column that the model takes."""
        return {tensor.name: tensor.dtype for tensor in self._inputs}

    @property
    def times(self) -> dict[str, TimeColumn]:
        """How times are written, for each column of times of a model that tells."""
        return {tensor.name: tensor.times for tensor in self._inputs if tensor.times}

    @property
    def output_names(self) -> list[str]:
        """The names of the columns that `score` returns, in their order."""
        return [name for names in self._names.values() for name in names]

    def make_arrays(self, columns: Mapping[str, pa.Array]) -> dict[str, Array]:
        """Returns what the signature takes for float32, int64 and utf8 columns, null if missing."""
        return {tensor.name: _to_array(tensor, columns[tensor.name]) for tensor in self._inputs}

    def score(self, columns: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
        """Returns float32, int64 or utf8 columns, in the order of the rows.

        Args:
          columns: float32, int64 or utf8 by name, null where a value is missing.

        Raises:
          ValueError: the model cannot compute the values; the message says why.
        """
        if not len(next(iter(columns.values()))):
            return self._make_empty()
        scored: dict[str, pa.Array] = {}
        outputs = self.call(self.make_arrays(columns))
        for tensor, array in zip(self._outputs, outputs, strict=True):
            kind, names = _OUTPUT_TYPES[tensor.dtype], self._names[tensor.name]
            parts = [array] if tensor.rank == 1 else list(np.ascontiguousarray(array.T))
            scored |= {n: pa.array(part, kind) for n, part in zip(names, parts, strict=True)}
        return scored

    def _make_empty(self) -> dict[str, pa.Array]:
        return {
            name: pa.array([], _OUTPUT_TYPES[tensor.dtype])
            for tensor in self._outputs
            for name in self._names[tensor.name]
        }

    def _name_columns(self, tensor: Tensor) -> Sequence[str]:
        if tensor.rank == 1:
            return (tensor.name,)
        if tensor.name == Output.PROBABILITIES and (classes := self._read_classes()):
            return [f"{Output.PROBABILITY}_{name}" for name in classes]
        if tensor.width is None:
            raise ConfigError(f"the output '{tensor.name}' of the model has no fixed width")
        return [f"{tensor.name}_{position}" for position in range(tensor.width)]

    def _read_classes(self) -> list[str]:
        """Returns the names of the classes, in the order of the probabilities."""
        name = SignatureName.SERVING_DEFAULT
        if Output.CLASSES not in self._model.definitions[name].outputs:
            return []
        row = {t.name: _to_array(t, pa.nulls(1, _OUTPUT_TYPES[t.dtype])) for t in self._inputs}
        (classes,) = self._model.select_outputs(name, [Output.CLASSES])(row)
        return [value.decode() for value in classes[0].tolist()]

    def close(self) -> None:
        """Frees the memory of the model."""
        self._model.close()


def _to_array(tensor: Tensor, column: pa.Array) -> Array:
    filled = pc.fill_null(column, MISSING_VALUES[tensor.dtype]) if column.null_count else column
    if tensor.dtype == "string":
        values: Array = pc.cast(filled, pa.binary()).to_numpy(zero_copy_only=False)
    else:
        values = filled.to_numpy()
    return values[:, np.newaxis] if tensor.is_column else values
