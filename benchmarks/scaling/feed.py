"""Measures the input pipeline of one worker alone: `python -m benchmarks.scaling.feed SPEC`.

A worker takes its share of the rows and of the batches, from memory and streamed from disk, and
does nothing with them. The fastest epoch counts, since other load on the machine only slows down.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import tensorflow as tf
import tensorflow_transform as tft

from benchmarks.artifacts import find_artifact
from benchmarks.scaling.pinned import choose_core
from benchmarks.spec import write_answer
from pipeline.core.contracts import Split
from trainer_module.input import dataset
from trainer_module.input.batching import Replicas, training_batching
from trainer_module.input.examples import Examples, open_examples
from trainer_module.names import is_for_trees

_EPOCHS = 4
_SOURCES = {"memory": dataset._MOST_HELD_BYTES, "disk": 0}
"""The most bytes that the pipeline may hold, so that it takes the rows from there."""


def measure(spec: dict[str, Any]) -> dict[str, Any]:
    """Returns by batch size and source: examples and bytes per second, as tensors of the batch."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, {choose_core(0, os.sched_getaffinity(0))})
    examples = _open_examples(Path(spec["run"]))
    return {
        str(size // spec["workers"]): {
            source: _measure_source(examples, size, Replicas(spec["workers"]), held)
            for source, held in _SOURCES.items()
        }
        for size in spec["batch_sizes"]
    }


def _measure_source(
    examples: Examples, size: int, replicas: Replicas, held: int
) -> dict[str, float]:
    batching = training_batching(examples.row_count, size, replicas)
    dataset._MOST_HELD_BYTES = held
    batches = iter(dataset.make_batches(examples, batching, replicas, seed=1))
    # In one call, as in a training: Python takes part once an epoch.
    take_epoch = tf.function(_take)
    count = tf.constant(batching.batches)
    seconds = []
    for _ in range(_EPOCHS):
        started = time.monotonic()
        take_epoch(batches, count)
        seconds.append(time.monotonic() - started)
    # The first epoch includes the tracing and the start of the pipeline.
    speed = batching.batches * batching.batch_size / min(seconds[1:])
    return {"examples a second": speed, "bytes a second": speed * examples.row_bytes}


def _take(batches: Any, count: tf.Tensor) -> None:
    for _ in tf.range(count):
        next(batches)


def _open_examples(run: Path) -> Examples:
    graph = tft.TFTransformOutput(str(find_artifact(run, "Transform", "transform_graph")))
    outputs = graph.transformed_feature_spec()
    spec = {name: feature for name, feature in outputs.items() if not is_for_trees(name)}
    directory = find_artifact(run, "Transform", "transformed_examples")
    return open_examples([f"{directory}/{Split.PREFIX}{Split.TRAIN}/*"], spec)


if __name__ == "__main__":
    write_answer(sys.argv[1], measure)
