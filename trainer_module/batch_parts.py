"""Scores a large batch in parts, so that memory does not grow with the rows of the batch.

A network of 500 columns computes 25,000 numbers for a row. Computed at once, 10,000 rows took 7 GB.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf
import tf_keras

Tensors = Mapping[str, tf.Tensor]

_MOST_NUMBERS = 1 << 26
"""The outputs of all layers for the rows of a part: 256 MB, and some times as much for what is
computed in between."""
USUAL_ROWS = 8192
"""The most rows that callers score at once. A network that can do so needs no parts."""


def bound_memory(model: Any, outputs: int) -> Callable[[Tensors], tf.Tensor]:
    """Returns a function that computes the model's output, float32 [batch, outputs].

    A network with wide layers gets few rows at once. The width of a user's own layer that does not
    tell its output shape is left out of account.

    Args:
      model: takes Transform's outputs by name: a network, or a tf.Module that holds some.
      outputs: the width of the output.
    """
    most_rows = _MOST_NUMBERS // max(1, _count_numbers(model))

    def score(transformed: Tensors) -> tf.Tensor:
        return model(transformed, training=False)

    if most_rows >= USUAL_ROWS:
        return score
    return lambda transformed: score_in_parts(score, transformed, max(1, most_rows), outputs)


def score_in_parts(
    score: Callable[[Any], tf.Tensor], rows: Any, most_rows: int, outputs: int
) -> tf.Tensor:
    """Returns the scores of rows, float32 [batch, outputs].

    Args:
      score: computes the scores of a part.
      rows: a tensor or tensors by name, [batch, ...].
      most_rows: the rows of a part.
      outputs: the scores of a row.
    """
    batch = tf.shape(tf.nest.flatten(rows)[0])[0]
    # An empty batch is one empty part, since no parts have no shape.
    count = tf.maximum(1, -(-batch // most_rows))
    parts = tf.TensorArray(tf.float32, count, infer_shape=False, element_shape=[None, outputs])

    def add_part(number: tf.Tensor, parts: tf.TensorArray) -> tuple[tf.Tensor, tf.TensorArray]:
        start = number * most_rows
        part = tf.nest.map_structure(lambda values: values[start : start + most_rows], rows)
        return number + 1, parts.write(number, score(part))

    # Parts that are computed side by side would need the memory that the parts shall save.
    _, parts = tf.while_loop(
        lambda number, _: number < count, add_part, (0, parts), parallel_iterations=1
    )
    return tf.ensure_shape(parts.concat(), [None, outputs])


def _count_numbers(model: tf.Module) -> int:
    """Returns how many numbers the layers compute for a row."""
    layers = [each for each in model.submodules if isinstance(each, tf_keras.layers.Layer)]
    shapes = [shape for layer in layers for shape in _list_shapes(layer)]
    return sum(tf.TensorShape(shape[1:]).num_elements() or 0 for shape in shapes)


def _list_shapes(layer: tf_keras.layers.Layer) -> list[tuple[int | None, ...]]:
    try:
        found = layer.output_shape
    except (AttributeError, RuntimeError):
        # Never called in a graph of layers, or called several times with different shapes.
        return []
    return [shape for shape in (found if isinstance(found, list) else [found]) if shape]
