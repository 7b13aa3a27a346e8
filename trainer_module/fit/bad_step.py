"""The first step whose loss was not a number."""

from __future__ import annotations

import tensorflow as tf


class FirstBadStep:
    """Remembers, in TensorFlow's graph, the first step whose loss was not a number.

    Between two looks of Python at the loss lie many steps. Keeps a count of its own: the
    optimizer's leaves out the steps that float16 skips.
    """

    def __init__(self) -> None:
        self._next, self._bad = _variable(0), _variable(-1)

    def start(self, step: int) -> None:
        """Steps are counted on from `step`, over all epochs."""
        self._next.assign(step)
        self._bad.assign(-1)

    def note(self, loss: tf.Tensor) -> None:
        """To be called once a step, with the mean loss of this replica's rows, a scalar."""
        is_first = ~tf.math.is_finite(loss) & (self._bad < 0)
        self._bad.assign(tf.where(is_first, self._next, self._bad))
        self._next.assign_add(1)

    def read(self) -> int | None:
        """The step, counted from 0, or None."""
        step = int(self._bad.numpy())
        return None if step < 0 else step


def _variable(value: int) -> tf.Variable:
    """An integer that each replica keeps for itself."""
    return tf.Variable(
        value,
        dtype=tf.int64,
        trainable=False,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA,
    )
