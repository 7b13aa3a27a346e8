"""The first step whose loss was not a number."""

from __future__ import annotations

import tensorflow as tf


class FirstBadStep:
    """Remembers, in TensorFlow's graph, the first step whose loss was not a number.

    Between two looks of Python at the loss lie many steps. Keeps a count of its own_loss: the
    optimizer's leaves out the steps that float16 skips.
    """

    def __init__(self) -> None:
        self._next, self._bad, self._own = _variable(0), _variable(-1), _variable(0)

    def start(self, step: int) -> None:
        """Steps are counted on from `step`, over all epochs."""
        self._next.assign(step)
        self._bad.assign(-1)
        self._own.assign(0)

    def record(self, loss: tf.Tensor, own_loss: tf.Tensor) -> None:
        """To be called once a step, with scalars.

        `loss` is the mean over the epoch so far and over all replicas of all workers: from one of
        them the others have what is no number a step later, with the weights. `own_loss` is the loss
        of this replica's rows.
        """
        is_first = ~tf.math.is_finite(loss) & (self._bad < 0)
        self._bad.assign(tf.where(is_first, self._next, self._bad))
        is_own = is_first & ~tf.math.is_finite(own_loss)
        self._own.assign(tf.where(is_own, tf.ones_like(self._own), self._own))
        self._next.assign_add(1)

    def read(self) -> int:
        """The step, counted from 0; -1 for none."""
        return int(self._bad.numpy())

    def is_own(self, strategy: tf.distribute.Strategy) -> bool:
        """Whether it was the loss of a replica of this process."""
        return any(int(own_loss) for own_loss in strategy.experimental_local_results(self._own))


def _variable(value: int) -> tf.Variable:
    """An integer that each replica keeps for itself."""
    return tf.Variable(
        value,
        dtype=tf.int64,
        trainable=False,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA,
    )
