"""Asks the model of a finished run for predictions on its test rows, as a client does.

`python -m benchmarks.contest.served SPEC` runs this part in a process, since it needs TensorFlow.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import tensorflow as tf

from benchmarks.artifacts import find_artifact
from benchmarks.contest.rows import read_split
from benchmarks.spec import write_answer
from pipeline.core.contracts import MISSING_INT, MISSING_STRING, Output, Signature

_OUTPUTS = (Output.PROBABILITY, Output.PROBABILITIES, Output.PREDICTION)
_BATCH = 8192
"""Rows of one request: large enough to be fast, and small enough for a machine's memory."""


def ask_model(spec: dict[str, str]) -> int:
    """Writes the predictions of the model of `run` to the file `answers`; returns their number."""
    run = Path(spec["run"])
    # The Trainer's model, since a model that misses a threshold is compared too but never pushed.
    directory = find_artifact(run, "Trainer", "model") / "Format-Serving"
    signature = tf.saved_model.load(str(directory)).signatures[Signature.SERVING_DEFAULT]
    rows = read_split(run, "test")
    types = signature.structured_input_signature[1]
    columns = {name: _to_dense(rows.column(name), types[name].dtype) for name in types}
    found = [
        _read_answers(
            signature(**{n: tf.constant(v[at : at + _BATCH]) for n, v in columns.items()})
        )
        for at in range(0, rows.num_rows, _BATCH)
    ]
    np.save(spec["answers"], np.concatenate(found))
    return int(rows.num_rows)


def _read_answers(outputs: dict[str, tf.Tensor]) -> Any:
    return next(outputs[name].numpy() for name in _OUTPUTS if name in outputs)


def _to_dense(column: pa.ChunkedArray, dtype: tf.DType) -> Any:
    """Returns the column as [rows, 1], with the marks of missing values."""
    if dtype == tf.string:
        texts = pc.fill_null(column.cast(pa.string()), MISSING_STRING)
        return np.array(texts.to_pylist(), object)[:, np.newaxis]
    if dtype == tf.int64:
        return pc.fill_null(column, MISSING_INT).to_numpy()[:, np.newaxis]
    return column.cast(pa.float32()).to_numpy()[:, np.newaxis]


if __name__ == "__main__":
    write_answer(sys.argv[1], ask_model)
