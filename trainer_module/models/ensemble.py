"""`ensemble`: several networks that share most of their weights (TabM, Gorishniy et al. 2025).

Each member scales the inputs and outputs of the shared layers by its own factors (BatchEnsemble,
Wen et al. 2020), and has its own last layer. Each member is trained on its own loss; served, the
model predicts the members' mean. That varies less than a single network, at little more cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from pipeline.config import ModelConfig
from trainer_module.heads import Head
from trainer_module.models.dropout import Dropout
from trainer_module.models.inputs import Inputs


def scores(inputs: Inputs, head: Head, config: ModelConfig) -> tf.Tensor:
    """Returns the scores of each member, [batch, members, head.units]."""
    hidden = tf_keras.layers.RepeatVector(config.members)(inputs.together())
    for index, width in enumerate(config.hidden_units, start=1):
        # Members that start with equal factors would stay equal.
        factors = _RandomSigns() if index == 1 else "ones"
        hidden = SharedDense(width, factors, name=f"shared_{index}")(hidden)
        hidden = tf_keras.layers.Activation(config.activation)(hidden)
        if config.dropout:
            hidden = Dropout(config.dropout)(hidden)
    return OwnDense(head.units, head.bias, name="heads")(hidden)


class SharedDense(tf_keras.layers.Layer):
    """A dense layer from [batch, members, width] to [batch, members, units] with a shared kernel.

    Each member has its own bias and its own factors for the inputs and the outputs. The factors of
    the inputs start as `factors`, those of the outputs as 1.
    """

    def __init__(self, units: int, factors: Any, name: str) -> None:
        super().__init__(name=name)
        self._units = units
        self._factors = factors

    def build(self, shape: tf.TensorShape) -> None:
        _, members, width = shape
        self._kernel = self.add_weight("kernel", [width, self._units], initializer="he_uniform")
        self._before = self.add_weight("before", [members, width], initializer=self._factors)
        self._after = self.add_weight("after", [members, self._units], initializer="ones")
        self._bias = self.add_weight("bias", [members, self._units], initializer="zeros")

    def call(self, tensor: tf.Tensor) -> tf.Tensor:
        before, kernel, after, bias = (
            tf.cast(weight, tensor.dtype)
            for weight in (self._before, self._kernel, self._after, self._bias)
        )
        return tf.einsum("bmi,io->bmo", tensor * before, kernel) * after + bias


class OwnDense(tf_keras.layers.Layer):
    """A dense layer from [batch, members, width] to [batch, members, units].

    Each member has its own kernel and bias.
    """

    def __init__(self, units: int, bias: Sequence[float], name: str) -> None:
        super().__init__(name=name)
        self._units = units
        self._initial_bias = list(bias)

    def build(self, shape: tf.TensorShape) -> None:
        _, members, width = shape
        self._kernel = self.add_weight(
            "kernel", [members, width, self._units], initializer=_each_glorot
        )
        initial = np.tile(np.array(self._initial_bias, np.float32), (members, 1))
        self._bias = self.add_weight(
            "bias", initial.shape, initializer=tf_keras.initializers.Constant(initial)
        )

    def call(self, tensor: tf.Tensor) -> tf.Tensor:
        kernel, bias = (tf.cast(weight, tensor.dtype) for weight in (self._kernel, self._bias))
        return tf.einsum("bmi,mio->bmo", tensor, kernel) + bias


class _RandomSigns(tf_keras.initializers.Initializer):
    """Initializes weights as 1 or -1 with equal probability."""

    def __call__(self, shape: Any, dtype: Any = None, **unused: Any) -> tf.Tensor:
        uniform = tf_keras.initializers.RandomUniform(-1, 1)(shape, dtype)
        return tf.where(uniform < 0, -tf.ones_like(uniform), tf.ones_like(uniform))


def _each_glorot(shape: Sequence[int], dtype: Any = None, **unused: Any) -> tf.Tensor:
    """Returns a kernel of [members, width, units], drawn by Glorot's rule for each member alone."""
    members, *one = shape
    return tf.stack([tf_keras.initializers.GlorotUniform()(one, dtype) for _ in range(members)])
