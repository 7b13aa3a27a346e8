"""Encodes the label, with one definition for Transform and for the exported model."""

from __future__ import annotations

import tensorflow as tf

from pipeline.config import LabelConfig
from trainer_module.encoding.values import as_number, as_text

UNKNOWN_CLASS = -1


def encode_label(column: tf.Tensor, label: LabelConfig) -> tf.Tensor:
    """Returns the encoded label, [batch, 1], of a raw label column, [batch, 1].

    For classes, int64 indices into `label.classes`, and UNKNOWN_CLASS for any other value. For
    regression, float32, and NaN for a missing label.
    """
    if label.task == "regression":
        return as_number(column)
    is_class = as_text(column) == tf.constant(label.classes)
    index = tf.argmax(is_class, axis=1, output_type=tf.int64)
    known = tf.reduce_any(is_class, axis=1)
    return tf.where(known, index, UNKNOWN_CLASS)[:, tf.newaxis]
