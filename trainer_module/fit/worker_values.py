"""Exchanges a number between all workers, which then make the same decision from it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import tensorflow as tf


def mean_over_workers(value: float, strategy: tf.distribute.Strategy) -> float:
    """Returns the mean of the workers' values, or `value` under any other strategy.

    This is a collective operation: all workers have to call it at the same step.
    """
    values = _values_of_workers(value, strategy)
    return sum(values) / len(values)


def least_over_workers(value: float, strategy: tf.distribute.Strategy) -> float:
    """Returns the least of the workers' values; otherwise as `mean_over_workers`."""
    return min(_values_of_workers(value, strategy))


def _values_of_workers(value: float, strategy: tf.distribute.Strategy) -> list[float]:
    if not isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy):
        return [value]
    gathered = _gathering_function(strategy)(tf.constant([value], tf.float64))
    return [float(each) for each in gathered]


@cache
def _gathering_function(strategy: tf.distribute.Strategy) -> Callable[[tf.Tensor], tf.Tensor]:
    def gather(value: tf.Tensor) -> tf.Tensor:
        values = strategy.run(lambda: tf.identity(value))
        return strategy.gather(values, axis=0)

    function: Callable[[tf.Tensor], tf.Tensor] = tf.function(gather)
    return function
