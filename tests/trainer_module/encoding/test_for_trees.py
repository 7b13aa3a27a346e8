"""Numbers for trees: no scale, NaN where a value is missing."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from pipeline.config.sections.features import Boolean, Categorical, Numeric, Timestamp
from trainer_module.encoding.for_trees import encode_boolean, encode_numbers, encode_timestamp
from trainer_module.encoding.timestamps import parse_moment

NAN = float("nan")


def test_a_boolean_is_one_zero_or_missing() -> None:
    text = tf.constant([["TRUE"], ["other"], ["__MISSING__"]])
    np.testing.assert_array_equal(encode_boolean(text, Boolean()), [[1.0], [0.0], [NAN]])


def test_a_timestamp_is_its_parts_as_plain_numbers() -> None:
    feature = Timestamp(parts=("hour", "month", "year"))
    texts = tf.constant([["2026-11-20T14:30:00"], ["nonsense"], ["__MISSING__"]])
    moment = parse_moment(texts, feature.format, feature.zone)
    wanted = [[14.5, 11.0, 2026.0], [NAN] * 3, [NAN] * 3]
    np.testing.assert_array_equal(encode_timestamp(moment, feature), wanted)


def test_only_numbers_are_encoded_and_a_number_stays_as_it_is() -> None:
    number = tf.constant([[1.5], [NAN]])
    parsed = {"fare": number, "color": tf.constant([["red"], ["blue"]])}
    encoded = encode_numbers(parsed, {"fare": Numeric(), "color": Categorical()})
    assert list(encoded) == ["fare"]
    np.testing.assert_array_equal(encoded["fare"], number)
