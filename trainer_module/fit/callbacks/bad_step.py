"""Finds the first step with a NaN or infinite loss, inside TensorFlow's graph."""

from __future__ import annotations

import tensorflow as tf


class FirstBadStep:
    """Remembers the first step with a NaN or infinite loss.

    Python sees the loss only once in many steps, so TensorFlow's graph has to record the step. The
    object counts steps itself: the optimizer's counter omits the steps that float16 skips.
    """

    def __init__(self) -> None:
        self._next, self._bad, self._own = _variable(0), _variable(-1), _variable(0)

    def start(self, step: int) -> None:
        """Resets the record; the next step is number `step`, counted from 0 over all epochs."""
        self._next.assign(step)
        self._bad.assign(-1)
        self._own.assign(0)

    def record(self, loss: tf.Tensor, own_loss: tf.Tensor) -> None:
        """Records a step; call this once in each step, with scalars.

        `loss` is the mean over the epoch so far and over all replicas of all workers. `own_loss` is
        the loss of this replica's rows. It tells which replica was first: one step later, all
        replicas have a NaN loss, from the weights.
        """
        is_first = ~tf.math.is_finite(loss) & (self._bad < 0)
        self._bad.assign(tf.where(is_first, self._next, self._bad))
        is_own = is_first & ~tf.math.is_finite(own_loss)
        self._own.assign(tf.where(is_own, tf.ones_like(self._own), self._own))
        self._next.assign_add(1)

    def read(self) -> int:
        """Returns the step, counted from 0, or -1 if all losses were finite."""
        return int(self._bad.numpy())

    def is_own(self, strategy: tf.distribute.Strategy) -> bool:
        """Whether a replica of this process had the NaN or infinite loss."""
        return any(int(own_loss) for own_loss in strategy.experimental_local_results(self._own))


def _variable(value: int) -> tf.Variable:
    """Returns an integer variable with a separate value on each replica."""
    return tf.Variable(
        value,
        dtype=tf.int64,
        trainable=False,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA,
    )
