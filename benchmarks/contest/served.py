"""Asks models of a finished run for predictions on its test rows, as a client does.

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

from benchmarks.contest.parts import export_network, export_trees
from benchmarks.contest.rows import read_split
from benchmarks.spec import write_answer
from pipeline.config import load_config
from pipeline.config.sections.families.names import TREES
from pipeline.core.contracts import MISSING_INT, MISSING_STRING, Output, Signature

_OUTPUTS = (Output.PROBABILITY, Output.PROBABILITIES, Output.PREDICTION)
_BATCH = 8192
"""Rows of one request: large enough to be fast, and small enough for a machine's memory."""


def ask_models(spec: dict[str, Any]) -> int:
    """Writes the predictions of models and of parts of the first model; returns the rows.

    `models` are directories by name, `parts` are families by name. The file `answers` gets an array
    for each of both.
    """
    models = dict(spec["models"])
    for name, family in spec["parts"].items():
        models[name] = str(Path(spec["run"]) / name)
        _export_part(spec, family, Path(models[name]))
    rows = read_split(Path(spec["run"]), "test")
    found = {name: ask_model(directory, rows) for name, directory in models.items()}
    np.savez(spec["answers"], **found)
    return int(rows.num_rows)


def _export_part(spec: dict[str, Any], family: str, directory: Path) -> None:
    run, config = Path(spec["run"]), load_config([Path(spec["config"])], spec["assignments"])
    if family == TREES:
        export_trees(run, config, directory)
    else:
        served = Path(next(iter(spec["models"].values())))
        export_network(run, config, served, directory)


def ask_model(directory: str, rows: pa.Table) -> Any:
    """Returns the predictions of a SavedModel for the rows of a table."""
    signature = tf.saved_model.load(directory).signatures[Signature.SERVING_DEFAULT]
    types = signature.structured_input_signature[1]
    columns = {name: _to_dense(rows.column(name), types[name].dtype) for name in types}
    found = [
        _read_answers(
            signature(**{n: tf.constant(v[at : at + _BATCH]) for n, v in columns.items()})
        )
        for at in range(0, rows.num_rows, _BATCH)
    ]
    return np.concatenate(found)


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
    write_answer(sys.argv[1], ask_models)
