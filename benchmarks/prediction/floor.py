"""The floor: calls of the loaded signature in a bare loop, on batches in memory.

Run as `python -m benchmarks.prediction.floor TASK SECONDS`; prints JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

import tensorflow as tf

from pipeline.core.contracts import Signature
from pipeline.core.processes import available_cores
from serving.batch.file_scoring import FileScorer
from serving.batch.rows.cells import cast_columns
from serving.batch.rows.input_files import find_input_files
from serving.batch.rows.slices import iter_slices
from serving.batch.scorer import Scorer
from serving.batch.task import Task

_BATCHES = 40
"""Batches in memory, which the loop repeats: more than a processor's cache holds."""

Batch = Mapping[str, Any]


def make_batches(task: Task, scorer: Scorer) -> Sequence[Batch]:
    """Returns the arrays of the first slices of the first input file."""
    file = find_input_files(task)[0]
    data = file.data(task)
    layout = FileScorer(task).layout_of(file)
    slices = iter_slices(file.path, data, layout.read, task.part_rows)
    csv = data.csv if data.source == "csv" else None
    return [
        scorer.make_arrays(cast_columns(piece.batch, scorer.types, csv)[0])
        for piece in islice(slices, _BATCHES)
    ]


def measure(call: Callable[[Batch], Any], batches: Sequence[Batch], seconds: float) -> float:
    """Returns the rows a second of calls one after the other; the first round is a warm-up."""
    for batch in batches:
        call(batch)
    rows, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        for batch in batches:
            call(batch)
            rows += len(next(iter(batch.values())))
    return rows / (time.perf_counter() - started)


def main() -> None:
    """Prints the rows a second of `tf.saved_model.load`'s signature and of a session's."""
    task, seconds = Task.from_json(sys.argv[1]), float(sys.argv[2])
    scorer = Scorer(task.model, available_cores())
    batches = make_batches(task, scorer)
    loaded = tf.saved_model.load(task.model)
    signature = loaded.signatures[Signature.SERVING_DEFAULT]

    def call(batch: Batch) -> list[Any]:
        outputs = signature(**{name: tf.constant(array) for name, array in batch.items()})
        return [value.numpy() for value in outputs.values()]

    rates = {
        "signature": measure(call, batches, seconds),
        "session": measure(scorer.call, batches, seconds),
    }
    print(json.dumps(rates))


if __name__ == "__main__":
    main()
