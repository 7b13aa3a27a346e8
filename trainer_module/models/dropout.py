"""Dropout that the seed and the step decide, whatever happened before.

Keras's draws from a state that every trace of a network has of its own: which numbers a step gets
depends on how many steps TensorFlow makes at once, and on whether training was interrupted.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator
from contextvars import ContextVar

import tensorflow as tf
import tf_keras

_seed: ContextVar[tf.Tensor] = ContextVar("draw")


@contextlib.contextmanager
def dropout_seed(seed: tf.Tensor) -> Iterator[None]:
    """Layers called within drop by `seed`, int [2]: one for each step, replica and piece of it."""
    token = _seed.set(seed)
    try:
        yield
    finally:
        _seed.reset(token)


class Dropout(tf_keras.layers.Layer):
    """Sets the share `rate` of its inputs to 0 in training, and scales up the others.

    Outside of `dropout_seed`, as in a `fit` of somebody else's, it draws as TensorFlow does.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self._rate = rate

    def call(self, inputs: tf.Tensor, training: bool | None = None) -> tf.Tensor:
        if not training:
            return inputs
        drawn = _seed.get(None)
        if drawn is None:
            return tf.nn.dropout(inputs, self._rate)
        seed = tf.random.fold_in(drawn, zlib.crc32(self.name.encode()) >> 1)
        return tf.nn.experimental.stateless_dropout(inputs, self._rate, seed)
