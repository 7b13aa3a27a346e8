"""Numbers that all workers have to have in common, since they act on them together."""

from __future__ import annotations

import tensorflow as tf


def mean_of_workers(value: float, strategy: tf.distribute.Strategy) -> float:
    """The mean of what each worker gives; all of them have to ask at the same step."""
    if not isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy):
        return value
    values = strategy.run(lambda: tf.constant(value, tf.float32))
    return float(strategy.reduce(tf.distribute.ReduceOp.MEAN, values, axis=None))
