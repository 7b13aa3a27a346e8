"""Raw columns of any dtype as numbers and as text."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from pipeline.core.contracts import MISSING_INT, MISSING_STRING
from trainer_module.encoding.values import as_number, as_text


def column(*values: Any) -> tf.Tensor:
    return tf.constant([[value] for value in values])


def test_any_dtype_converts_to_numbers() -> None:
    nan = float("nan")
    for values, wanted in (
        ((1.5, nan, float("inf"), -2.0), [1.5, nan, nan, -2.0]),
        ((1, MISSING_INT, 0), [1.0, nan, 0.0]),
        (("1.5", " -2e3 ", "x", MISSING_STRING, ""), [1.5, -2000.0, nan, nan, nan]),
    ):
        number = as_number(column(*values))
        assert number.dtype == tf.float32
        np.testing.assert_array_equal(number.numpy()[:, 0], wanted)


def test_any_dtype_converts_to_text() -> None:
    missing = MISSING_STRING
    for values, wanted in (
        (("a", missing, ""), ["a", missing, ""]),
        ((60, MISSING_INT, 0), ["60", missing, "0"]),
        ((60.0, float("nan"), -0.5), ["60", missing, "-0.5"]),
    ):
        text = as_text(column(*values)).numpy()[:, 0]
        assert [value.decode() for value in text] == wanted
