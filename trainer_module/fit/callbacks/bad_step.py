"""Finds the first step with a NaN or infinite loss, inside TensorFlow's graph."""

from __future__ import annotations

import tensorflow as tf

NO_STEP = 2**62
"""Later than any step."""


class FirstBadStep:
    """Remembers the first step in which the loss of a replica's rows was NaN or infinite.

    Python sees the loss only once in many steps, so TensorFlow's graph has to record the step. The
    object counts steps itself: the optimizer's counter omits the steps that float16 skips. Each
    replica looks at its own rows, for which it waits for no other replica. One step later, all
    replicas have a NaN loss, from the weights.
    """

    def __init__(self) -> None:
        self._next, self._bad = _variable(0), _variable(NO_STEP)

    def start(self, step: int) -> None:
        """Resets the record; the next step is number `step`, counted from 0 over all epochs."""
        self._next.assign(step)
        self._bad.assign(NO_STEP)

    def record(self, own_loss: tf.Tensor) -> None:
        """Records a step; call this once in each step, with the loss of this replica's rows."""
        is_first = ~tf.math.is_finite(own_loss) & (self._bad == NO_STEP)
        self._bad.assign(tf.where(is_first, self._next, self._bad))
        self._next.assign_add(1)

    def read(self, strategy: tf.distribute.Strategy) -> int:
        """Returns the first bad step of this process's replicas, counted from 0, or NO_STEP."""
        return min(int(step) for step in strategy.experimental_local_results(self._bad))


def _variable(value: int) -> tf.Variable:
    """Returns an integer variable with a separate value on each replica."""
    return tf.Variable(
        value,
        dtype=tf.int64,
        trainable=False,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA,
    )
