"""Calls the served signature of an exported model on columns of raw cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import tensorflow as tf

from components.predictions.raw_cells import fill_missing
from components.predictions.terms import Array
from pipeline.core.contracts import Signature

_MOST_CELLS = 2_000_000
"""Cells of one call, which bounds the memory; a larger call is no faster."""
_BYTES_OF_A_CELL = 64
"""A text of so many bytes takes about as long as one more number."""

Values = Mapping[str, Array]
"""Cells by column, each [n]: numbers, or objects of type bytes; none is missing."""
Change = tuple[str, Array]
"""A column, and the cells that take its place, [n]."""


class ServedFunction:
    """The signature `serving_default`, and the rows that it is asked about again and again."""

    def __init__(self, directory: str, output: str) -> None:
        """Loads the model.

        Args:
          directory: the SavedModel.
          output: the output that holds the predictions.
        """
        self._model = tf.saved_model.load(directory)
        self._function = self._model.signatures[Signature.SERVING_DEFAULT]
        self._output = output
        specs = self._function.structured_input_signature[1]
        self.dtypes: Mapping[str, tf.DType] = {name: spec.dtype for name, spec in specs.items()}

    def to_values(self, table: pa.Table) -> dict[str, Array]:
        """Returns the inputs among the columns of raw cells, with missing cells filled in."""
        return {
            name: fill_missing(table.column(name), dtype) for name, dtype in self.dtypes.items()
        }

    def predict(self, values: Values) -> Array:
        """Returns the predictions, float32 [n] or [n, classes]."""
        return self._call({name: self._to_tensor(name, values[name]) for name in self.dtypes})

    def predict_changes(self, values: Values, changes: Sequence[Change]) -> Array:
        """Returns the predictions of the rows once for each change of one column.

        Returns:
          float32 [changes, n] or [changes, n, classes].
        """
        rows = len(next(iter(values.values())))
        base = {name: self._to_tensor(name, values[name]) for name in self.dtypes}
        size = max(1, _MOST_CELLS // max(rows * measure_width(values), 1))
        tiles = {
            name: tf.tile(tensor, [min(size, len(changes)), 1]) for name, tensor in base.items()
        }
        found = [
            self._call(self._change(values, tiles, changes[start : start + size]))
            for start in range(0, len(changes), size)
        ]
        predictions = np.concatenate(found)
        return predictions.reshape(len(changes), rows, *predictions.shape[1:])

    def _change(
        self, values: Values, tiles: Mapping[str, Any], changes: Sequence[Change]
    ) -> dict[str, Any]:
        """Returns a batch with a copy of the rows for each change."""
        rows = len(next(iter(values.values())))
        batch = {name: tensor[: rows * len(changes)] for name, tensor in tiles.items()}
        for name in {column for column, _ in changes}:
            cells = [new if column == name else values[name] for column, new in changes]
            batch[name] = self._to_tensor(name, np.concatenate(cells))
        return batch

    def _to_tensor(self, name: str, cells: Array) -> Any:
        return tf.constant(cells[:, np.newaxis], self.dtypes[name])

    def _call(self, batch: Mapping[str, Any]) -> Array:
        predictions: Array = self._function(**batch)[self._output].numpy()
        return predictions


def measure_width(values: Values) -> int:
    """Returns the cells of a row, where a long text counts as many."""
    texts = (cells for cells in values.values() if cells.dtype == object)
    size = sum(sum(map(len, cells)) / max(len(cells), 1) for cells in texts)
    return len(values) + int(size / _BYTES_OF_A_CELL)
