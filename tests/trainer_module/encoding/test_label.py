"""The encoding of the label by task."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from pipeline.config import LabelConfig
from pipeline.core.contracts import MISSING_STRING
from trainer_module.encoding.label import UNKNOWN_CLASS, encode_label


def test_a_class_is_its_position_and_other_values_are_unknown() -> None:
    label = LabelConfig(column="y", task="multiclass", classes=("a", "b", "c"))
    column = tf.constant([["c"], ["a"], ["d"], [MISSING_STRING]])
    encoded = encode_label(column, label)
    assert encoded.dtype == tf.int64
    assert encoded.numpy().tolist() == [[2], [0], [UNKNOWN_CLASS], [UNKNOWN_CLASS]]


def test_classes_match_whole_numbers_of_any_dtype() -> None:
    label = LabelConfig(column="y", task="binary", classes=("0", "1"))
    for column in (tf.constant([[1], [0]]), tf.constant([[1.0], [0.0]])):
        assert encode_label(column, label).numpy().tolist() == [[1], [0]]


def test_a_regression_label_is_a_number_and_nan_if_missing() -> None:
    label = LabelConfig(column="y", task="regression")
    encoded = encode_label(tf.constant([["1.5"], [MISSING_STRING]]), label)
    np.testing.assert_array_equal(encoded, np.array([[1.5], [np.nan]], np.float32))
