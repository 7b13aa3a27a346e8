"""Turns raw cells into what the inputs of a served model take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import tensorflow as tf

from components.predictions.terms import Array
from pipeline.core.contracts import MISSING_FLOAT, MISSING_INT, MISSING_STRING


def missing_value(dtype: tf.DType) -> Any:
    """Returns what stands for a missing value in an input of this type."""
    if dtype == tf.string:
        return MISSING_STRING.encode()
    return MISSING_FLOAT if dtype.is_floating else MISSING_INT


def fill_missing(cells: pa.ChunkedArray, dtype: tf.DType) -> Array:
    """Returns the cells of a column that `read_examples` read, [n]; missing ones are filled in."""
    if dtype == tf.string:
        filled = pc.fill_null(cells, missing_value(dtype))
        return np.array(filled.to_pylist(), dtype=object)
    missing = MISSING_INT if pa.types.is_integer(cells.type) else MISSING_FLOAT
    filled = pc.fill_null(cells, missing).to_numpy()
    return np.asarray(filled, dtype.as_numpy_dtype)
