"""Piecewise-linear encoding of numbers (Gorishniy, Rubachev and Babenko 2022).

A network learns steps and bumps in the effect of a number slowly. The encoding cuts the number's
range into bins. Each bin gets its own input, which grows from 0 to 1 while the number crosses the
bin, so that a linear layer can express a step. Quantiles of the rows collapse if most rows hold one
value, for example zero; quantiles of the distinct values still separate the other rows. So the
edges of the bins are both.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tf_keras

from pipeline.config import Features, ModelConfig
from trainer_module.input.examples import Examples
from trainer_module.names import transformed_name

_MOST_ROWS = 1_000_000
"""Rows to take quantiles of. More rows would hardly move the quantiles, and need more memory."""

Edges = npt.NDArray[np.float32]
"""The edges of a column's bins, [bins + 1], strictly ascending."""


def find_bin_edges(features: Features, config: ModelConfig, train: Examples) -> dict[str, Edges]:
    """Returns the edges of each numeric feature that is not constant, by transformed name.

    Returns no edges if `model.numeric_bins` is 0.
    """
    names = [transformed_name(column) for column, f in features.items() if f.kind == "numeric"]
    if not (config.numeric_bins and names):
        return {}
    found = {
        name: find_quantile_edges(_select_present(values), config.numeric_bins)
        for name, values in train.sample(names, _MOST_ROWS).items()
    }
    return {name: edges for name, edges in found.items() if len(edges) > 1}


def _select_present(values: npt.NDArray[np.generic]) -> npt.NDArray[np.float32]:
    """Returns the numbers that are not missing, [rows].

    `values` are numbers, [rows, 1], or numbers with a missing indicator, [rows, 2].
    """
    numbers = values.astype(np.float32, copy=False)
    present: npt.NDArray[np.float32] = numbers[numbers[:, 1:].sum(axis=1) == 0, 0]
    return present


def find_quantile_edges(values: npt.NDArray[np.float32], bins: int) -> Edges:
    """Returns edges at quantiles of all `values`, [rows], and of the distinct values.

    There are at most 2 * bins + 1 edges, and none without values.
    """
    if not len(values):
        return np.empty(0, np.float32)
    shares = np.linspace(0, 1, bins + 1)
    distinct = np.unique(values)
    quantiles = [np.quantile(several, shares, method="nearest") for several in (values, distinct)]
    edges: Edges = np.unique(np.concatenate(quantiles)).astype(np.float32)
    return edges


class PiecewiseLinear(tf_keras.layers.Layer):
    """Encodes numbers, [batch, columns], as float32 [batch, columns * bins].

    The edges are untrained weights, so that they are saved and copied with the trained weights.
    If a column has fewer bins than another column, its surplus inputs stay 0.
    """

    NAME = "piecewise"

    def __init__(self, edges: Mapping[str, Edges]) -> None:
        super().__init__(name=self.NAME)
        self._edges = list(edges.values())

    def build(self, shape: tf.TensorShape) -> None:
        columns, bins = len(self._edges), max(len(edges) for edges in self._edges) - 1
        starts = np.zeros((columns, bins), np.float32)
        slopes = np.zeros((columns, bins), np.float32)
        for index, edges in enumerate(self._edges):
            starts[index, : len(edges) - 1] = edges[:-1]
            slopes[index, : len(edges) - 1] = 1 / np.diff(edges)
        self._starts = self._add_fixed_weight("starts", starts)
        self._slopes = self._add_fixed_weight("slopes", slopes)

    def call(self, numbers: tf.Tensor) -> tf.Tensor:
        crossed = (numbers[:, :, tf.newaxis] - self._starts) * self._slopes
        columns, bins = self._starts.shape
        return tf.reshape(tf.clip_by_value(crossed, 0.0, 1.0), [-1, columns * bins])

    def _add_fixed_weight(self, name: str, values: npt.NDArray[np.float32]) -> tf.Variable:
        initializer = tf_keras.initializers.Constant(values)
        return self.add_weight(name, values.shape, initializer=initializer, trainable=False)
