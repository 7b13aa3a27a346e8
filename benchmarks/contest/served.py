"""What the models of finished runs answer on their test rows, asked as a client would ask.

`python -m benchmarks.contest.served SPEC`, in a process of its own for TensorFlow's sake.
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
from benchmarks.spec import answer
from pipeline.core.missing_values import MISSING_INT, MISSING_STRING

_OUTPUTS = ("probability", "probabilities", "prediction")
_BATCH = 8192


def ask(spec: dict[str, str]) -> int:
    """Writes the answers of the model of `run` to `answers`; gives their number."""
    run = Path(spec["run"])
    # Where the run pushed nothing, the model that was not good enough is judged all the same.
    directory = find_artifact(run, "Trainer", "model") / "Format-Serving"
    signature = tf.saved_model.load(str(directory)).signatures["serving_default"]
    rows = read_split(run, "test")
    types = signature.structured_input_signature[1]
    columns = {name: _dense(rows.column(name), types[name].dtype) for name in types}
    found = [
        _answers(signature(**{n: tf.constant(v[at : at + _BATCH]) for n, v in columns.items()}))
        for at in range(0, rows.num_rows, _BATCH)
    ]
    np.save(spec["answers"], np.concatenate(found))
    return int(rows.num_rows)


def _answers(outputs: dict[str, tf.Tensor]) -> Any:
    return next(outputs[name].numpy() for name in _OUTPUTS if name in outputs)


def _dense(column: pa.ChunkedArray, dtype: tf.DType) -> Any:
    """[rows, 1], with what stands for a missing value."""
    if dtype == tf.string:
        texts = pc.fill_null(column.cast(pa.string()), MISSING_STRING)
        return np.array(texts.to_pylist(), object)[:, np.newaxis]
    if dtype == tf.int64:
        return pc.fill_null(column, MISSING_INT).to_numpy()[:, np.newaxis]
    return column.cast(pa.float32()).to_numpy()[:, np.newaxis]


if __name__ == "__main__":
    answer(sys.argv[1], ask)
