"""Rounds weights and activations to 8 bits within a training step, as a quantized export does.

The forward and the backward pass run with rounded numbers; the optimizer changes the exact ones. So
the gradient passes the rounding as if there were none: the straight-through estimator of Bengio,
Leonard and Courville (2013), used as by Jacob et al. (2018).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow as tf
import tf_keras

from trainer_module.models.ensemble import OwnDense, SharedDense

_LEVELS = 127
"""Steps from 0 to the largest number of 8 bits with a sign."""
_DENSE = (tf_keras.layers.Dense, SharedDense, OwnDense)


def round_to_levels(values: tf.Tensor, axes: Sequence[int]) -> tf.Tensor:
    """Returns the values, rounded to multiples of 1/127 of the largest one along `axes`."""
    scale = tf.reduce_max(tf.abs(values), axis=list(axes), keepdims=True) / _LEVELS
    return tf.round(tf.math.divide_no_nan(values, scale)) * scale


class Rounding:
    """Rounds the weights of a network, and the inputs of its dense layers, within `rounded`.

    Args:
      network: the network. The inputs of its dense layers are rounded from now on within `rounded`.
      weights: the weights that the export stores in 8 bits.
    """

    def __init__(self, network: tf_keras.Model, weights: Sequence[tf.Variable]) -> None:
        self._weights = list(weights)
        self._is_active = False
        for layer in network.submodules:
            if isinstance(layer, _DENSE):
                layer.call = self._with_rounded_input(layer.call)  # type: ignore[method-assign]

    @contextlib.contextmanager
    def rounded(self) -> Iterator[None]:
        """Rounds while the graph inside is traced, and brings the exact weights back at the end."""
        exact = [tf.identity(weight) for weight in self._weights]
        for weight, values in zip(self._weights, exact, strict=True):
            weight.assign(round_to_levels(values, _axes_of_scale(values)))
        self._is_active = True
        try:
            yield
        finally:
            self._is_active = False
        for weight, values in zip(self._weights, exact, strict=True):
            weight.assign(values)

    def _with_rounded_input(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(inputs: tf.Tensor, *arguments: Any, **settings: Any) -> Any:
            if self._is_active:
                axes = range(inputs.shape.rank)
                inputs += tf.stop_gradient(round_to_levels(inputs, axes) - inputs)
            return call(inputs, *arguments, **settings)

        return called


def _axes_of_scale(weight: tf.Tensor) -> range:
    """Returns the axes that share a scale: all but the last, whose numbers are outputs."""
    return range(weight.shape.rank - 1)
