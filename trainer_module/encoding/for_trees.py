"""Encodes numbers for boosted trees, which order the values of a column and need no scale.

So Transform spares the analysis of means and quantiles. A missing value is NaN, and trees learn
where to send it. Categories, hashes and text are encoded as for networks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from pipeline.config.sections.features import Boolean, Feature, Timestamp
from pipeline.core.contracts import MISSING_STRING
from trainer_module.encoding.timestamps import Moment
from trainer_module.encoding.values import is_one_of


def encode_boolean(text: tf.Tensor, feature: Boolean) -> tf.Tensor:
    """Returns 1 for true, 0 for false, float32 [batch, 1]."""
    true_values = tuple(value.lower() for value in feature.true_values)
    is_true = is_one_of(tf.strings.lower(text, "utf-8"), true_values)
    return tf.where(text == MISSING_STRING, float("nan"), tf.cast(is_true, tf.float32))


def encode_timestamp(moment: Moment, feature: Timestamp) -> tf.Tensor:
    """Returns the parts as plain numbers in their order, float32 [batch, parts]."""
    parts = [tf.cast(getattr(moment, part), tf.float32) for part in feature.parts]
    return tf.where(moment.is_valid, tf.concat(parts, axis=1), float("nan"))


_ENCODERS: Mapping[str, Callable[[Any, Any], tf.Tensor]] = {
    "numeric": lambda number, _: number,
    "bucketized": lambda number, _: number,
    "boolean": encode_boolean,
    "timestamp": encode_timestamp,
}
"""For each kind of numbers, a function of the parsed column and its feature."""
NUMBERS = frozenset(_ENCODERS)
"""The kinds of features that are numbers for trees."""


def encode_numbers(
    parsed: Mapping[str, Any], features: Mapping[str, Feature]
) -> dict[str, tf.Tensor]:
    """Returns the features that are numbers for trees, float32 [batch, width] each."""
    return {
        name: _ENCODERS[feature.kind](parsed[name], feature)
        for name, feature in features.items()
        if feature.kind in NUMBERS
    }
