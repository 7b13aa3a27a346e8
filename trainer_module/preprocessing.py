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
from dataclasses import dataclass
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
from trainer_module.values import as_name, as_number, as_text, is_one_of

_CYCLES = {"hour": 24, "weekday": 7, "day": 31, "month": 12}


def preprocessing_fn(
    inputs: Mapping[str, tf.Tensor], custom_config: Mapping[str, Any]
) -> dict[str, tf.Tensor]:
    """Transforms the configured features and encodes the label.

    `inputs` holds every raw column as a dense [batch, 1] tensor of float32, int64 or string.
    """
    sections = Sections(custom_config)
    features = sections.features
    parsed = {name: _PARSERS[f.kind](inputs[name], f) for name, f in features.items()}
    numbers = {
        name: _NUMBERS[feature.kind](parsed[name], feature)
        for name, feature in features.items()
        if feature.kind in _NUMBERS
    }
    scaled = standardize({name: number for name, number in numbers.items() if number is not None})
    outputs = {
        transformed_name(name): _PREPROCESSORS[feature.kind](
            Column(name, parsed[name], scaled.get(name)), feature
        )
        for name, feature in features.items()
    }
    outputs[LABEL_KEY] = encode_label(inputs[sections.label.column], sections.label)
    return outputs


@dataclass(frozen=True)
class Column:
    """A raw column on its way, [batch, 1]."""

    name: str
    values: Any
    """What the kind's parser made of it: numbers, text or a Moment."""
    scaled: tf.Tensor | None
    """What the kind wants standardised of it, standardised."""


def preprocess_numeric(column: Column, feature: Numeric) -> tf.Tensor:
    """float32 [batch, 2]: the scaled number and whether it is missing; [batch, 1] without."""
    scaled = normal_score(column.values) if column.scaled is None else column.scaled
    if not feature.missing_indicator:
        return scaled
    return _with_indicator([scaled], tf.math.is_nan(column.values))


def preprocess_bucketized(column: Column, feature: Bucketized) -> tf.Tensor:
    boundaries = (
        tf.constant(feature.boundaries)
        if feature.boundaries
        else quantile_boundaries(column.values, feature.buckets)
    )
    return _ids(bucket_of(column.values, boundaries), tf.math.is_nan(column.values))


def preprocess_categorical(column: Column, feature: Categorical) -> tf.Tensor:
    is_missing = column.values == MISSING_STRING
    vocabulary = tft.vocabulary(
        tf.boolean_mask(column.values, ~is_missing),
        top_k=feature.vocabulary_size,
        frequency_threshold=feature.min_count if feature.min_count > 1 else None,
        vocab_filename=transformed_name(column.name),
    )
    index = tft.apply_vocabulary(column.values, vocabulary, num_oov_buckets=feature.oov_buckets)
    return _ids(index, is_missing)


def preprocess_hashed(column: Column, feature: Hashed) -> tf.Tensor:
    bucket = tf.strings.to_hash_bucket_fast(column.values, feature.buckets)
    return _ids(bucket, column.values == MISSING_STRING)


def preprocess_boolean(column: Column, feature: Boolean) -> tf.Tensor:
    """float32 [batch, 2]: 1 if true, and whether it is missing."""
    is_missing = column.values == MISSING_STRING
    true_values = tuple(value.lower() for value in feature.true_values)
    is_true = is_one_of(tf.strings.lower(tf.strings.strip(column.values), "utf-8"), true_values)
    return _with_indicator([tf.cast(is_true & ~is_missing, tf.float32)], is_missing)


def preprocess_timestamp(column: Column, feature: Timestamp) -> tf.Tensor:
    """float32: sine and cosine of each cyclic part, the scaled year, whether it is missing."""
    moment: Moment = column.values
    parts = [
        value
        for part in feature.parts
        for value in ([column.scaled] if part == "year" else _on_a_circle(moment, part))
    ]
    known = [tf.where(moment.is_valid, value, 0.0) for value in parts]
    return _with_indicator(known, ~moment.is_valid)


def preprocess_text(column: Column, feature: Text) -> tf.Tensor:
    is_missing = column.values == MISSING_STRING
    tokens = distinct_tokens(tf.where(is_missing, "", column.values), feature.max_tokens)
    vocabulary = tft.vocabulary(
        tokens.values,
        top_k=feature.vocabulary_size,
        vocab_filename=transformed_name(column.name),
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


def _on_a_circle(moment: Moment, part: str) -> list[tf.Tensor]:
    # Days and months count from 1; a whole turn is the same as none.
    angle = 2.0 * math.pi * tf.cast(getattr(moment, part), tf.float32) / _CYCLES[part]
    return [tf.sin(angle), tf.cos(angle)]


def _number_to_standardize(number: tf.Tensor, feature: Numeric) -> tf.Tensor | None:
    if feature.scale == "quantile":
        return None
    return signed_log(number) if feature.scale == "log" else number


def _year_to_standardize(moment: Moment, feature: Timestamp) -> tf.Tensor | None:
    if "year" not in feature.parts:
        return None
    return tf.where(moment.is_valid, tf.cast(moment.year, tf.float32), float("nan"))


_PARSERS: dict[str, Callable[[tf.Tensor, Any], Any]] = {
    "numeric": lambda raw, _: as_number(raw),
    "bucketized": lambda raw, _: as_number(raw),
    "categorical": lambda raw, _: as_name(raw),
    "hashed": lambda raw, _: as_name(raw),
    "boolean": lambda raw, _: as_text(raw),
    "timestamp": lambda raw, feature: parse_moment(raw, feature.format),
    "text": lambda raw, _: as_text(raw),
}
_NUMBERS: dict[str, Callable[[Any, Any], tf.Tensor | None]] = {
    "numeric": _number_to_standardize,
    "timestamp": _year_to_standardize,
}
_PREPROCESSORS: dict[str, Callable[[Column, Any], tf.Tensor]] = {
    "numeric": preprocess_numeric,
    "bucketized": preprocess_bucketized,
    "categorical": preprocess_categorical,
    "hashed": preprocess_hashed,
    "boolean": preprocess_boolean,
    "timestamp": preprocess_timestamp,
    "text": preprocess_text,
}
