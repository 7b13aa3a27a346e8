"""Measures the bare exchange of numbers between workers: the floor of a training step.

A worker of this module adds a vector of `floats` numbers over all workers, step after step, and
does nothing else. The first worker writes the milliseconds of a step to the file `answer`.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

_STEPS = 500
_REPEATS = 5
"""The fastest repeat counts: other load on the machine only slows down."""


def exchange(line: str) -> None:
    """Runs the worker; `line` is the job, a line of JSON."""
    import tensorflow as tf

    job = json.loads(line)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()

    def add(vector: tf.Tensor) -> tf.Tensor:
        replica = tf.distribute.get_replica_context()
        # Only the result of an operation tells the device of the replica.
        return replica.all_reduce(tf.distribute.ReduceOp.MEAN, tf.identity(vector))

    def repeat(vector: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(_STEPS):
            vector = strategy.run(add, (vector,))
        return vector

    add_often = tf.function(repeat)
    vector, seconds = tf.ones([job["floats"]]), []
    for _ in range(_REPEATS + 1):
        started = time.monotonic()
        vector = add_often(vector)
        vector.numpy()
        seconds.append(time.monotonic() - started)
    if strategy.cluster_resolver.task_id == 0:
        # The first repeat includes the tracing.
        Path(job["answer"]).write_text(json.dumps(min(seconds[1:]) / _STEPS * 1000))


if __name__ == "__main__":
    from components.supervision.worker import run_supervised

    run_supervised(exchange)
