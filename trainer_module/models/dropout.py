"""Dropout whose random numbers depend on the seed and the step alone.

Keras's Dropout keeps a random state for each trace of a network. Its numbers depend on how many
steps TensorFlow runs at once, and on whether training was interrupted.
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
    """Lets Dropout layers called in this context draw from `seed`, int64 [2].

    The caller gives another seed for each step, replica and micro-batch.
    """
    token = _seed.set(seed)
    try:
        yield
    finally:
        _seed.reset(token)


class Dropout(tf_keras.layers.Layer):
    """Sets the share `rate` of the inputs to 0 in training, and scales up the other inputs.

    Outside of `dropout_seed`, for example in stock Keras `fit`, TensorFlow's own random state is
    used.
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
