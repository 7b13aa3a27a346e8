"""Raw cells as inputs of a served model."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import tensorflow as tf

from components.predictions.raw_cells import fill_missing, missing_value
from pipeline.core.contracts import MISSING_INT, MISSING_STRING


def test_missing_cells_get_the_value_that_stands_for_them() -> None:
    floats = fill_missing(pa.chunked_array([pa.array([1.5, None], pa.float32())]), tf.float32)
    assert floats[0] == 1.5
    assert np.isnan(floats[1])
    whole = fill_missing(pa.chunked_array([pa.array([2**53 + 1, None], pa.int64())]), tf.int64)
    assert whole.tolist() == [2**53 + 1, MISSING_INT]
    texts = pa.chunked_array([pa.array([b"a", None], pa.large_binary())])
    assert fill_missing(texts, tf.string).tolist() == [b"a", MISSING_STRING.encode()]


def test_each_type_has_a_value_for_missing() -> None:
    assert missing_value(tf.string) == MISSING_STRING.encode()
    assert missing_value(tf.int64) == MISSING_INT
    assert np.isnan(missing_value(tf.float32))
