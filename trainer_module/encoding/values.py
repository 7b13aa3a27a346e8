"""Converts raw columns of any dtype to numbers or text, with one mark for a missing value.

The schema decides a column's dtype and the configuration decides its kind, so every kind accepts
every dtype. Examples from TFRecord or BigQuery, for instance, may hold integers where a CSV file
has text.
"""

from __future__ import annotations

import tensorflow as tf

from pipeline.core.contracts import MISSING_INT, MISSING_STRING

_NUMBER = r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*"
_MAX_EXACT_INTEGER = 2.0**53
"""Below this, float64 holds every whole number exactly."""


def as_number(column: tf.Tensor) -> tf.Tensor:
    """Returns float32 of the same shape, NaN for a missing or infinite value and for other text."""
    if column.dtype == tf.string:
        is_number = tf.strings.regex_full_match(column, _NUMBER)
        text = tf.where(is_number, tf.strings.strip(column), "nan")
        number = tf.strings.to_number(text, tf.float32)
    elif column.dtype.is_integer:
        whole = tf.cast(column, tf.int64)
        number = tf.where(whole == MISSING_INT, float("nan"), tf.cast(whole, tf.float32))
    else:
        number = tf.cast(column, tf.float32)
    return tf.where(tf.math.is_finite(number), number, float("nan"))


def as_text(column: tf.Tensor) -> tf.Tensor:
    """Returns string of the same shape, MISSING_STRING where the value is missing.

    A whole number gives the same text from an integer and from a float column: a column of whole
    numbers with missing values may be read as floats.
    """
    if column.dtype == tf.string:
        return column
    if column.dtype.is_integer:
        whole = tf.cast(column, tf.int64)
        return tf.where(whole == MISSING_INT, MISSING_STRING, tf.strings.as_string(whole))
    is_whole = (column == tf.floor(column)) & (tf.abs(column) < _MAX_EXACT_INTEGER)
    whole = tf.cast(tf.where(is_whole, column, 0.0), tf.int64)
    text = tf.where(
        is_whole, tf.strings.as_string(whole), tf.strings.as_string(column, shortest=True)
    )
    return tf.where(tf.math.is_nan(column), MISSING_STRING, text)


def as_stripped_text(column: tf.Tensor) -> tf.Tensor:
    """Returns `as_text` without surrounding blanks.

    ExampleGen strips blanks from CSV cells, so ` red` from a client has to be the category `red`.
    """
    return tf.strings.strip(as_text(column))


def is_one_of(text: tf.Tensor, options: tuple[str, ...]) -> tf.Tensor:
    """Returns whether each text is one of `options`: bool [..., 1], the shape of `text`."""
    return tf.reduce_any(text == tf.constant(options), axis=-1, keepdims=True)
