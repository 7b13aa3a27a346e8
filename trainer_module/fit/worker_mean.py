"""Averages a number over all workers, which then make the same decision from it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import tensorflow as tf


def mean_over_workers(value: float, strategy: tf.distribute.Strategy) -> float:
    """Returns the mean of the workers' values, or `value` under any other strategy.

    This is a collective operation: all workers have to call it at the same step.
    """
    if not isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy):
        return value
    return float(_mean_function(strategy)(tf.constant(value, tf.float32)))


@cache
def _mean_function(strategy: tf.distribute.Strategy) -> Callable[[tf.Tensor], tf.Tensor]:
    def mean(value: tf.Tensor) -> tf.Tensor:
        values = strategy.run(lambda: tf.identity(value))
        return strategy.reduce(tf.distribute.ReduceOp.MEAN, values, axis=None)

    function: Callable[[tf.Tensor], tf.Tensor] = tf.function(mean)
    return function
