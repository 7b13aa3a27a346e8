"""Piecewise-linear encoding of numbers (Gorishniy, Rubachev and Babenko 2022).

A network learns steps and bumps in the effect of a number slowly. The encoding cuts the number's
range into bins. Each bin gets its own input, which grows from 0 to 1 while the number crosses the
bin, so that a linear layer can express a step. Quantiles of the rows collapse if most rows hold one
value, for example zero; quantiles of the distinct values still separate the other rows. So the
edges of the bins are both. A single frequent value gets an edge of its own with one on either side:
between them, the network can treat the value like no other.
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

_PEAKS_A_BIN = 4
"""A value is a peak if it has at least this part of a bin's rows: a quarter."""

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

    There are at most 2 * bins + 1 edges, and none without values. Where quantiles fall together,
    frequent values and their neighbours fill up the edges. Where there are no more distinct values
    than edges, each value is an edge.
    """
    distinct, counts = np.unique(values, return_counts=True)
    most = 2 * bins + 1
    if len(distinct) <= most:
        return distinct.astype(np.float32)
    places = sorted(_spread(len(values), bins + 1))
    of_rows = np.searchsorted(np.cumsum(counts), places, side="right")
    chosen = _find_edges_of_peaks(counts, bins) | set(of_rows.tolist())
    of_values = _spread(len(distinct), bins + 1)
    if len(chosen | of_values) > most:
        of_values = _spread(len(distinct), most - len(chosen))
    return distinct[sorted(chosen | of_values)].astype(np.float32)


def _spread(length: int, count: int) -> set[int]:
    """Returns at most `count` indices that divide `length` sorted values evenly."""
    shares = np.linspace(0, 1, count)
    return set(np.quantile(np.arange(length), shares, method="nearest").tolist())


def _find_edges_of_peaks(counts: npt.NDArray[np.int64], bins: int) -> set[int]:
    """Returns at most `bins` indices: frequent values, the most frequent first, and neighbours."""
    found: set[int] = set()
    for peak in np.argsort(-counts, kind="stable")[:bins].tolist():
        # Only with both neighbours as edges is the effect of the peak independent of theirs.
        own = {max(peak - 1, 0), peak, min(peak + 1, len(counts) - 1)}
        if counts[peak] * bins * _PEAKS_A_BIN < counts.sum() or len(found | own) > bins:
            break
        found |= own
    return found


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
