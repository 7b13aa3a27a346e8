"""Scores rows with a forest, in operations that TensorFlow itself has."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from trainer_module.batch_parts import score_in_parts
from trainer_module.trees.scoring.forest import Forest
from trainer_module.trees.scoring.masks import WORD_BITS, make_masks

_ZERO = np.float32(1e-35)
"""LightGBM takes numbers up to this distance from 0 for 0."""
_COLUMNS_AT_ONCE = 8
"""Columns whose masks TensorFlow may compute side by side. Without a bound, it computes those of
all columns first, 16 MB each: with 600 columns, 7 GB in place of 0.3 GB, in twice the time."""
_MOST_WORDS = 1 << 22
"""Words of masks that are computed at once, [rows, trees * words of a tree]: 16 MB each. Without a
bound, 8,192 rows of 6,000 trees would take 200 MB for each of several arrays."""


class ForestScorer(tf.Module):
    """Computes the raw scores of a forest, which LightGBM predicts with `raw_score`.

    Sums are in float64, as in LightGBM, so that both agree to the last digits. See `masks` for the
    method. Memory does not grow with the rows of a batch: a batch of many rows and trees is scored
    in parts, one after the other.
    """

    def __init__(self, forest: Forest) -> None:
        super().__init__()
        masks = make_masks(forest)
        self._columns = masks.columns
        self._words = masks.words
        self._trees = len(forest.trees)
        self._outputs = forest.outputs
        self._most_rows = max(1, _MOST_WORDS // (self._trees * self._words))
        # Variables, not constants: a graph of more than 2 GB cannot be saved.
        self._table = _fixed(masks.table.view(np.int32), "table")
        self._lines = [_fixed(column.lines, "lines") for column in masks.columns]
        self._values = _fixed(_stack_values(forest), "values")

    def __call__(self, rows: tf.Tensor) -> tf.Tensor:
        """Returns the scores, float32 [batch, outputs], of rows, float32 [batch, columns]."""
        return score_in_parts(self._score_part, rows, self._most_rows, self._outputs)

    def _score_part(self, rows: tf.Tensor) -> tf.Tensor:
        first = np.arange(self._trees, dtype=np.int32) * self._values.shape[1]
        leaves = self._find_leaves(rows) + first
        scores = tf.gather(tf.reshape(self._values, [-1]), leaves)
        iterations = self._trees // self._outputs
        by_output = tf.reshape(scores, [-1, iterations, self._outputs])
        return tf.cast(tf.reduce_sum(by_output, axis=1), tf.float32)

    def _find_leaves(self, rows: tf.Tensor) -> tf.Tensor:
        """Returns the number of the row's leaf in each tree, int32 [batch, trees]."""
        if not self._columns:
            return tf.zeros([tf.shape(rows)[0], self._trees], tf.int32)
        left: list[tf.Tensor] = []
        for codes, lines in zip(tf.unstack(self._encode(rows)), self._lines, strict=True):
            with tf.control_dependencies(left[-_COLUMNS_AT_ONCE:][:1]):
                masks = tf.gather(self._table, tf.gather(lines, codes))
            left.append(tf.bitwise.bitwise_and(left[-1], masks) if left else masks)
        words = tf.reshape(left[-1], [tf.shape(rows)[0], -1, self._words])[:, : self._trees]
        return _find_set_bit(words)

    def _encode(self, rows: tf.Tensor) -> tf.Tensor:
        """Returns the codes of the values, int32 [columns, batch]: see `masks.Column`."""
        used = tf.gather(tf.transpose(rows), [column.index for column in self._columns])
        used = tf.where(tf.abs(used) <= _ZERO, 0.0, used)
        last = np.array([[column.last_code] for column in self._columns], np.int32)
        is_missing = tf.math.is_nan(used)
        # Thresholds that fill a column up to the longest are never below a value.
        below = tf.searchsorted(_pad([c.thresholds for c in self._columns]), used)
        numbers = tf.where(is_missing, last, tf.minimum(below, last - 1))
        # Clipped, because the integer of a huge number is not defined.
        known = tf.clip_by_value(tf.where(is_missing, -1.0, used), -1.0, last.astype(np.float32))
        category = tf.cast(known, tf.int32)
        categories = tf.where(known <= -1.0, last, category)
        is_categorical = np.array([[c.is_categorical] for c in self._columns])
        return tf.where(is_categorical, categories, numbers)


def _find_set_bit(words: tf.Tensor) -> tf.Tensor:
    """Returns the position of the only bit that is 1, int32 [batch, trees].

    `words` are int32 [batch, trees, words], the lowest bits first.
    """
    below = tf.cast(tf.raw_ops.PopulationCount(x=words - 1), tf.int32)
    if words.shape[2] == 1:
        return below[:, :, 0]
    starts = np.arange(words.shape[2], dtype=np.int32) * WORD_BITS
    return tf.reduce_sum(tf.where(words == 0, 0, below + starts), axis=2)


def _pad(several: list[npt.NDArray[np.float32]]) -> npt.NDArray[np.float32]:
    """Returns the arrays as one, [arrays, longest length], filled up with infinity."""
    longest = max(1, *map(len, several))
    padded = np.full((len(several), longest), np.inf, np.float32)
    for line, values in zip(padded, several, strict=True):
        line[: len(values)] = values
    return padded


def _stack_values(forest: Forest) -> npt.NDArray[np.float64]:
    """Returns the leaves' scores, [trees, leaves of the largest tree]."""
    most = max(len(tree.values) for tree in forest.trees)
    values = np.zeros((len(forest.trees), most))
    for line, tree in zip(values, forest.trees, strict=True):
        line[: len(tree.values)] = tree.values
    return values


def _fixed(values: npt.NDArray[np.generic], name: str) -> tf.Variable:
    return tf.Variable(values, trainable=False, name=name)
