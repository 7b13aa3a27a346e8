"""Sets the smallest weights of a network to 0, little by little, while it is trained further.

The share of zeros rises by the schedule of Zhu and Gupta (2017): fast at first, when many weights
hardly matter, and slowly at the end. After the rise the same weights stay 0, and the others learn
to do without them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf
import tf_keras

_PRUNED = ("kernel", "embeddings")
"""The weights of layers that are matrices. Biases and an ensemble's factors are few, and matter."""
_UPDATES = 25
"""How often the zeros are chosen anew during the rise: choosing sorts each weight."""


def find_prunable(network: tf_keras.Model) -> list[tf.Variable]:
    """Returns the weights of which a share is set to 0."""
    return [v for v in network.trainable_variables if _last_name(v).startswith(_PRUNED)]


def measure_zeros(network: tf_keras.Model) -> float:
    """Returns the share of the prunable weights that are 0; NaN without such weights."""
    weights = [np.asarray(variable) for variable in find_prunable(network)]
    count = sum(weight.size for weight in weights)
    return sum(int((w == 0).sum()) for w in weights) / count if count else float("nan")


def _last_name(variable: tf.Variable) -> str:
    return str(variable.name).rpartition("/")[2]


class Pruning:
    """The masks of the weights, and their schedule.

    Args:
      variables: the weights to prune, each by itself.
      share: the share of each weight's numbers that is 0 in the end.
      steps: the training steps of the rise.
    """

    def __init__(self, variables: Sequence[tf.Variable], share: float, steps: int) -> None:
        self._variables = list(variables)
        self._masks = [tf.Variable(tf.ones(v.shape), trainable=False) for v in self._variables]
        self._share = share
        self._steps = steps
        self._interval = max(1, steps // _UPDATES)

    def apply(self, step: tf.Tensor) -> None:
        """Sets the chosen weights to 0 after the training step with this number, from 1 on."""
        rising = (step <= self._steps) & (
            (step % self._interval == 0) | tf.equal(step, self._steps)
        )
        tf.cond(rising, lambda: self._choose(step), tf.no_op)
        for variable, mask in zip(self._variables, self._masks, strict=True):
            variable.assign(variable * tf.cast(mask, variable.dtype))

    def _choose(self, step: tf.Tensor) -> tf.Operation:
        """Chooses the weights that are 0 from this step on: the smallest ones."""
        left = 1.0 - tf.cast(step, tf.float32) / float(self._steps)
        share = self._share * (1.0 - left**3)
        for variable, mask in zip(self._variables, self._masks, strict=True):
            mask.assign(_keep_largest(tf.abs(variable), share))
        return tf.no_op()


def _keep_largest(sizes: tf.Tensor, share: tf.Tensor) -> tf.Tensor:
    """Returns a mask that is 0 for this share of the numbers, the smallest, and else 1."""
    order = tf.argsort(tf.reshape(sizes, [-1]))
    zeros = tf.cast(tf.round(share * tf.cast(tf.size(sizes), tf.float32)), tf.int32)
    mask = tf.scatter_nd(
        order[zeros:, tf.newaxis], tf.ones_like(order[zeros:], tf.float32), [tf.size(sizes)]
    )
    return tf.reshape(mask, tf.shape(sizes))
