"""The label as the loss and the Evaluator take it, one definition for both."""

from __future__ import annotations

import tensorflow as tf

from pipeline.config import LabelConfig
from trainer_module.encoding.values import as_number, as_text

UNKNOWN_CLASS = -1


def encode_label(column: tf.Tensor, label: LabelConfig) -> tf.Tensor:
    """Encodes a raw label column [batch, 1].

    Gives int64 [batch, 1] indices into `label.classes`, UNKNOWN_CLASS for any other value; or,
    for regression, float32 [batch, 1] with NaN for a missing label.
    """
    if label.task == "regression":
        return as_number(column)
    is_class = as_text(column) == tf.constant(label.classes)
    index = tf.argmax(is_class, axis=1, output_type=tf.int64)
    known = tf.reduce_any(is_class, axis=1)
    return tf.where(known, index, UNKNOWN_CLASS)[:, tf.newaxis]
