"""The `preprocessing_fn` for TFX's Transform: fills missing values, then calls the project's own.

CsvExampleGen writes a missing value as an empty list, so TFX passes sparse tensors. TFX's templates
fill them in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from pipeline.core.contracts import MISSING_FLOAT, MISSING_INT, MISSING_STRING
from trainer_module import preprocessing

_MISSING = {tf.float32: MISSING_FLOAT, tf.int64: MISSING_INT, tf.string: MISSING_STRING}


def preprocessing_fn(
    inputs: Mapping[str, Any], custom_config: Mapping[str, Any]
) -> dict[str, tf.Tensor]:
    """Transforms the configured features and encodes the label."""
    dense = {name: fill_missing(tensor) for name, tensor in inputs.items()}
    return preprocessing.preprocessing_fn(dense, custom_config)


def fill_missing(tensor: Any) -> tf.Tensor:
    """Returns a dense tensor, [batch, 1], with the mark of its type for each missing value."""
    if not isinstance(tensor, tf.SparseTensor):
        return tensor
    column = tf.SparseTensor(tensor.indices, tensor.values, [tensor.dense_shape[0], 1])
    return tf.sparse.to_dense(column, _MISSING[tensor.dtype])
