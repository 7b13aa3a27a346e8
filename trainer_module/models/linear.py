"""`linear`: each number and each category has its own weight.

This family is fast and easy to explain, and serves as the baseline of the other families.
"""

from __future__ import annotations

import tensorflow as tf
import tf_keras

from pipeline.config import ModelConfig
from trainer_module.heads import Head
from trainer_module.models.inputs import Inputs, concatenate


def scores(inputs: Inputs, head: Head, config: ModelConfig) -> tf.Tensor:
    """Returns the scores, [batch, head.units]: the sum of the weights and the head's bias."""
    parts = weights(inputs, head.units)
    total = tf_keras.layers.Add()(parts) if len(parts) > 1 else parts[0]
    return _Bias(head.bias, name="bias")(total)


def weights(inputs: Inputs, units: int) -> list[tf.Tensor]:
    """Returns a tensor, [batch, units], for each category and one for all numbers.

    The weights start as zeros.
    """
    parts = [category.embed(units, "weight", "zeros") for category in inputs.categories]
    if inputs.numbers:
        dense = tf_keras.layers.Dense(
            units, use_bias=False, kernel_initializer="zeros", name="wide"
        )
        parts.append(dense(concatenate(inputs.numbers)))
    return parts


class _Bias(tf_keras.layers.Layer):
    """Adds a trained bias that starts as `initial`."""

    def __init__(self, initial: object, name: str) -> None:
        super().__init__(name=name)
        self._initial = initial

    def build(self, shape: tf.TensorShape) -> None:
        initializer = tf_keras.initializers.Constant(self._initial)
        self._bias = self.add_weight("bias", shape[-1:], initializer=initializer)

    def call(self, tensor: tf.Tensor) -> tf.Tensor:
        return tensor + tf.cast(self._bias, tensor.dtype)
