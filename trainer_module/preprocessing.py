"""The feature engineering: from raw columns to what the network takes in, by the configuration.

TFX's Transform calls `preprocessing_fn` once, analyses the training split, and the identical
graph is part of the served model.

Each column becomes one dense tensor under `transformed_name(column)`:

- float32 [batch, width] for numbers (numeric, boolean, timestamp). Where the column can be
  missing, the last entry is 1 if it is and 0 otherwise, and the others are 0 then;
- int64 [batch, 1] for categories (bucketized, categorical, hashed): 0 is a missing value;
- int64 [batch, max_tokens] for text: 0 fills up, 1 is a missing text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf
import tensorflow_transform as tft

from pipeline.config.features import (
    Boolean,
    Bucketized,
    Categorical,
    Hashed,
    Numeric,
    Text,
    Timestamp,
)
from pipeline.config.missing import MISSING_STRING
from trainer_module.features import (
    FIRST_CATEGORY_ID,
    FIRST_TOKEN_ID,
    LABEL_KEY,
    TOKEN_OOV_BUCKETS,
    Sections,
    transformed_name,
)
from trainer_module.labels import encode_label
from trainer_module.scaling import (
    bucket_of,
    normal_score,
    quantile_boundaries,
    signed_log,
    standardize,
)
from trainer_module.timestamps import Moment, parse_moment
from trainer_module.tokens import distinct_tokens
from trainer_module.values import as_number, as_text, is_one_of

_CYCLES = {"hour": 24, "weekday": 7, "day": 31, "month": 12}


def preprocessing_fn(
    inputs: Mapping[str, tf.Tensor], custom_config: Mapping[str, Any]
) -> dict[str, tf.Tensor]:
    """Transforms the configured features and encodes the label.

    `inputs` holds every raw column as a dense [batch, 1] tensor of float32, int64 or string.
    """
    sections = Sections(custom_config)
    outputs = {
        transformed_name(column): _PREPROCESSORS[feature.kind](inputs[column], feature, column)
        for column, feature in sections.features.items()
    }
    outputs[LABEL_KEY] = encode_label(inputs[sections.label.column], sections.label)
    return outputs


def preprocess_numeric(column: tf.Tensor, feature: Numeric, _: str) -> tf.Tensor:
    """float32 [batch, 2]: the scaled number and whether it is missing; [batch, 1] without."""
    number = as_number(column)
    if feature.scale == "quantile":
        scaled = normal_score(number)
    else:
        scaled = standardize(signed_log(number) if feature.scale == "log" else number)
    if not feature.missing_indicator:
        return scaled
    return _with_indicator([scaled], tf.math.is_nan(number))


def preprocess_bucketized(column: tf.Tensor, feature: Bucketized, _: str) -> tf.Tensor:
    number = as_number(column)
    boundaries = (
        tf.constant(feature.boundaries)
        if feature.boundaries
        else quantile_boundaries(number, feature.buckets)
    )
    bucket = bucket_of(number, boundaries)
    return _ids(bucket, tf.math.is_nan(number))


def preprocess_categorical(column: tf.Tensor, feature: Categorical, name: str) -> tf.Tensor:
    text = as_text(column)
    is_missing = text == MISSING_STRING
    vocabulary = tft.vocabulary(
        tf.boolean_mask(text, ~is_missing),
        top_k=feature.vocabulary_size,
        frequency_threshold=feature.min_count if feature.min_count > 1 else None,
        vocab_filename=transformed_name(name),
    )
    index = tft.apply_vocabulary(text, vocabulary, num_oov_buckets=feature.oov_buckets)
    return _ids(index, is_missing)


def preprocess_hashed(column: tf.Tensor, feature: Hashed, _: str) -> tf.Tensor:
    text = as_text(column)
    bucket = tf.strings.to_hash_bucket_fast(text, feature.buckets)
    return _ids(bucket, text == MISSING_STRING)


def preprocess_boolean(column: tf.Tensor, feature: Boolean, _: str) -> tf.Tensor:
    """float32 [batch, 2]: 1 if true, and whether it is missing."""
    text = as_text(column)
    is_missing = text == MISSING_STRING
    true_values = tuple(value.lower() for value in feature.true_values)
    is_true = is_one_of(tf.strings.lower(tf.strings.strip(text), "utf-8"), true_values)
    return _with_indicator([tf.cast(is_true & ~is_missing, tf.float32)], is_missing)


def preprocess_timestamp(column: tf.Tensor, feature: Timestamp, _: str) -> tf.Tensor:
    """float32: sine and cosine of each cyclic part, the scaled year, whether it is missing."""
    moment = parse_moment(column, feature.format)
    parts = [value for part in feature.parts for value in _timestamp_part(moment, part)]
    known = [tf.where(moment.is_valid, value, 0.0) for value in parts]
    return _with_indicator(known, ~moment.is_valid)


def preprocess_text(column: tf.Tensor, feature: Text, name: str) -> tf.Tensor:
    text = as_text(column)
    is_missing = text == MISSING_STRING
    tokens = distinct_tokens(tf.where(is_missing, "", text), feature.max_tokens)
    vocabulary = tft.vocabulary(
        tokens.values, top_k=feature.vocabulary_size, vocab_filename=transformed_name(name)
    )
    index = tft.apply_vocabulary(tokens.values, vocabulary, num_oov_buckets=TOKEN_OOV_BUCKETS)
    shape = [None, feature.max_tokens]
    ids = tokens.with_values(index + FIRST_TOKEN_ID).to_tensor(0, shape=shape)
    # A missing text has no tokens: its mark falls on padding.
    mark = tf.pad(tf.cast(is_missing, tf.int64), [[0, 0], [0, feature.max_tokens - 1]])
    return tf.ensure_shape(ids + mark, shape)


def _ids(index: tf.Tensor, is_missing: tf.Tensor) -> tf.Tensor:
    return tf.where(is_missing, tf.zeros_like(index), index + FIRST_CATEGORY_ID)


def _with_indicator(parts: list[tf.Tensor], is_missing: tf.Tensor) -> tf.Tensor:
    return tf.concat([*parts, tf.cast(is_missing, tf.float32)], axis=1)


def _timestamp_part(moment: Moment, part: str) -> list[tf.Tensor]:
    value = tf.cast(getattr(moment, part), tf.float32)
    if part == "year":
        return [standardize(tf.where(moment.is_valid, value, float("nan")))]
    # Days and months count from 1; a whole turn is the same as none.
    angle = 2.0 * math.pi * value / _CYCLES[part]
    return [tf.sin(angle), tf.cos(angle)]


_PREPROCESSORS: dict[str, Callable[[tf.Tensor, Any, str], tf.Tensor]] = {
    "numeric": preprocess_numeric,
    "bucketized": preprocess_bucketized,
    "categorical": preprocess_categorical,
    "hashed": preprocess_hashed,
    "boolean": preprocess_boolean,
    "timestamp": preprocess_timestamp,
    "text": preprocess_text,
}
