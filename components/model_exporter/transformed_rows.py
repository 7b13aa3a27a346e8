"""Passes the evaluated rows through the SavedModel of Transform's graph that is pushed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import tensorflow as tf

from components.model_exporter.batches import write_batch
from components.predictions.raw_cells import fill_missing
from pipeline.core.contracts import Signature

_BATCH_ROWS = 1 << 15
"""Fewer rows mean more calls, more rows more memory."""


class SavedTransform:
    """The SavedModel of Transform's graph."""

    def __init__(self, directory: str) -> None:
        self._loaded = tf.saved_model.load(directory)
        self._function = self._loaded.signatures[Signature.TRANSFORM_FEATURES]
        self.inputs: Mapping[str, tf.TensorSpec] = self._function.structured_input_signature[1]
        """The raw columns by name."""

    def write_batches(self, cells: pa.Table, directory: str) -> None:
        """Writes the transformed rows of raw cells to `directory`; see `read_batches`."""
        for number, start in enumerate(range(0, len(cells), _BATCH_ROWS)):
            rows = cells.slice(start, _BATCH_ROWS)
            write_batch(directory, number, self.transform(rows))

    def transform(self, cells: pa.Table) -> dict[str, np.ndarray[Any, Any]]:
        """Returns the inputs of the network, [rows, width] each, for raw cells."""
        raw = {
            name: tf.constant(fill_missing(cells[name], spec.dtype)[:, np.newaxis], spec.dtype)
            for name, spec in self.inputs.items()
        }
        return {name: tensor.numpy() for name, tensor in self._function(**raw).items()}
