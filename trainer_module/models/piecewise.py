"""Piecewise-linear encoding of numbers (Gorishniy, Rubachev and Babenko 2022).

A network learns steps and bumps in the effect of a number slowly. The encoding cuts the number's
range into bins. Each bin gets its own input, which grows from 0 to 1 while the number crosses the
bin, so that a linear layer can express a step. Quantiles of the rows collapse if most rows hold a
few values, for example zero: so frequent values get edges of their own, and the quantiles are those
of the other rows. Quantiles of the distinct values separate rare values too.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tf_keras

from pipeline.config import Features, ModelConfig
from trainer_module.input.examples import Examples
from trainer_module.names import CYCLES, transformed_name

_MOST_ROWS = 1_000_000
"""Rows to take quantiles of. More rows would hardly move the quantiles, and need more memory."""
_WIDTH = 8
"""The number of inputs of a column with more bins is a multiple of this one."""

Edges = npt.NDArray[np.float32]
"""The edges of a column's bins, [bins + 1], strictly ascending."""
_Positions = npt.NDArray[np.int64]


def find_bin_edges(features: Features, config: ModelConfig, train: Examples) -> dict[str, Edges]:
    """Returns the edges of each number and each day that is not constant, by transformed name.

    Returns no edges if `model.numeric_bins` is 0.
    """
    numbers = list_numbers(features)
    if not (config.numeric_bins and numbers):
        return {}
    edges = {
        name: find_quantile_edges(_select_present(values, numbers[name]), config.numeric_bins)
        for name, values in train.sample(list(numbers), _MOST_ROWS).items()
    }
    return {name: several for name, several in edges.items() if len(several) > 1}


def list_numbers(features: Features) -> dict[str, int]:
    """Returns the transformed features with a number that can be encoded, and its position.

    These are numeric features, and timestamps with the part `date`.
    """
    numbers = {}
    for column, feature in features.items():
        if feature.kind == "numeric":
            numbers[transformed_name(column)] = 0
        elif feature.kind == "timestamp" and "date" in feature.parts:
            before = feature.parts[: feature.parts.index("date")]
            width = sum(2 if part in CYCLES else 1 for part in before)
            numbers[transformed_name(column)] = width
    return numbers


def _select_present(values: npt.NDArray[np.generic], position: int) -> npt.NDArray[np.float32]:
    """Returns the numbers at a position that are not missing, [rows].

    `values` are a feature's numbers, [rows, width]. The last one of several is the missing
    indicator.
    """
    numbers = values.astype(np.float32, copy=False)
    is_present = numbers[:, -1] == 0 if numbers.shape[1] > 1 else np.isfinite(numbers[:, 0])
    present: npt.NDArray[np.float32] = numbers[is_present, position]
    return present


def find_quantile_edges(values: npt.NDArray[np.float32], bins: int) -> Edges:
    """Returns edges at quantiles of `values`, [rows], and of the distinct values.

    There are at most 2 * bins + 1 edges, and none without values. If there are no more distinct
    values, each is an edge. Otherwise, frequent values are edges and the quantiles are those of the
    other rows. The neighbours of the most frequent values are edges too.
    """
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) > 2 * bins + 1:
        distinct = distinct[_choose_positions(counts, bins)]
    edges: Edges = distinct.astype(np.float32)
    return edges


def _choose_positions(counts: _Positions, bins: int) -> _Positions:
    """Returns the positions of the edges among the distinct values, ascending.

    `counts` are the rows of each distinct value, in the order of the values.
    """
    last, frequent = len(counts) - 1, _find_frequent(counts, bins)
    others = counts.copy()
    others[frequent] = 0
    ends = others.cumsum()
    rows = np.linspace(0, ends[-1] - 1, bins - len(frequent) + 1).round()
    of_rows = np.searchsorted(ends, rows, side="right")
    # Between its neighbours, a value shares no bin with any other value.
    beside = np.stack([frequent - 1, frequent + 1], axis=1).ravel().clip(0, last)
    of_values = np.linspace(0, last, bins + 1 - min(len(beside), bins // 2)).round()
    chosen = np.unique(np.concatenate([frequent, of_rows, of_values.astype(np.int64)]))
    # At least two of the chosen positions coincide, at both ends, so that there is room.
    added = beside[~np.isin(beside, chosen)][: 2 * bins + 1 - len(chosen)]
    positions: _Positions = np.union1d(chosen, added)
    return positions


def _find_frequent(counts: _Positions, bins: int) -> _Positions:
    """Returns the positions of the values with more rows than a bin, the most frequent first.

    A bin's rows are an equal share of the rows of all values that are less frequent.
    """
    order = np.argsort(-counts, kind="stable")[:bins]
    of_each = counts[order]
    left = counts.sum() - of_each.cumsum() + of_each
    is_frequent = of_each * np.arange(bins, bins - len(order), -1) > left
    return order[: int(np.argmin([*is_frequent[:-1], False]))]


def _describe_bins(edges: Edges) -> tuple[Edges, Edges]:
    """Returns the start and the slope of each bin of a column, [bins]; padding has the slope 0."""
    widths = np.diff(edges.astype(np.float64))
    # The slope of a bin of width 1e-40 would be infinite in float32.
    slopes = np.minimum(1 / widths, np.finfo(np.float32).max).astype(np.float32)
    surplus = -len(slopes) % _WIDTH if len(slopes) > _WIDTH else 0
    return np.pad(edges[:-1], (0, surplus)), np.pad(slopes, (0, surplus))


class PiecewiseLinear(tf_keras.layers.Layer):
    """Encodes numbers, [batch, columns], as float32 [batch, bins of all columns].

    The edges are untrained weights, so that they are saved and copied with the trained weights. The
    layer always computes in float32: in float16, neighbouring edges could be equal. A column with
    more than eight bins gets inputs that stay 0, up to a multiple of eight: if other data have some
    bins more, the next layer keeps its shape and can start from the weights of a served model.
    """

    NAME = "piecewise"

    def __init__(self, edges: Mapping[str, Edges]) -> None:
        super().__init__(name=self.NAME, dtype="float32")
        self._edges = list(edges.values())

    def build(self, shape: tf.TensorShape) -> None:
        starts, slopes = zip(*map(_describe_bins, self._edges), strict=True)
        self._columns = np.repeat(np.arange(len(starts)), [len(bins) for bins in starts])
        self._starts = self._add_fixed_weight("starts", np.concatenate(starts))
        self._slopes = self._add_fixed_weight("slopes", np.concatenate(slopes))

    def call(self, numbers: tf.Tensor) -> tf.Tensor:
        crossed = (tf.gather(numbers, self._columns, axis=1) - self._starts) * self._slopes
        return tf.clip_by_value(crossed, 0.0, 1.0)

    def _add_fixed_weight(self, name: str, values: npt.NDArray[np.float32]) -> tf.Variable:
        initializer = tf_keras.initializers.Constant(values)
        return self.add_weight(name, values.shape, initializer=initializer, trainable=False)
