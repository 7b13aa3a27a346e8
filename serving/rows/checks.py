"""Refuses values that the graph would take for something else, without telling the client.

One rule holds for JSON, tensors and tf.Examples: no infinite number, and no text that is no time in
a column of times. JSON and tensors are checked for infinite numbers where they become arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from serving.errors import bad_request
from serving.rows.signature import MISSING_VALUES, NUMPY_TYPES, DType, Signature, Tensor
from serving.rows.times import refuse_unreadable_times
from serving.rows.values import Array

Example = Any
"""A tensorflow.Example, whose class has no types."""

_LISTS: dict[DType, str] = {"float32": "float_list", "int64": "int64_list", "string": "bytes_list"}
_INFINITIES = (np.float32(np.inf).tobytes(), np.float32(-np.inf).tobytes())


def check_values(signature: Signature, blocks: Sequence[Array]) -> None:
    """Raises RequestError for the first value that is refused.

    Args:
      blocks: an array [rows, inputs] for each group of the signature's inputs.
    """
    if not signature.example_columns:
        refuse_unreadable_times(signature, blocks)
        return
    serialized: list[bytes] = blocks[0][:, 0].tolist()
    _refuse_infinite(serialized, signature.example_columns)
    times = tuple(tensor for tensor in signature.example_columns if tensor.times)
    if times:
        described = Signature(signature.name, times, ())
        refuse_unreadable_times(described, _read_columns(serialized, described))


def _refuse_infinite(serialized: Sequence[bytes], columns: Sequence[Tensor]) -> None:
    for row, content in enumerate(serialized):
        # Most rows are not parsed: an infinite number has these bytes, wherever it stands.
        if not any(sign in content for sign in _INFINITIES):
            continue
        features = _parse(content).features.feature
        for name in (t.name for t in columns if t.dtype == "float32" and t.name in features):
            if np.isinf(features[name].float_list.value).any():
                raise bad_request(
                    f"row {row}: '{name}' takes a finite number, or no value if it is missing; "
                    "not Infinity"
                )


def _read_columns(serialized: Sequence[bytes], signature: Signature) -> list[Array]:
    """Returns an array [rows, inputs] for each group of the signature's inputs."""
    examples = list(map(_parse, serialized))
    return [
        np.array(
            [[_read(example, tensor) for tensor in group.inputs] for example in examples],
            NUMPY_TYPES[group.dtype],
        )
        for group in signature.groups
    ]


def _read(example: Example, tensor: Tensor) -> Any:
    """Returns the value of a column; a missing value also for one that the graph will refuse."""
    features = example.features.feature
    if tensor.name in features:
        values = getattr(features[tensor.name], _LISTS[tensor.dtype]).value
        if len(values) == 1:
            return values[0]
    return MISSING_VALUES[tensor.dtype]


def _parse(content: bytes) -> Example:
    """Returns the tf.Example, an empty one for other bytes: the graph says what is wrong there."""
    # Here: the rest of this room works without TensorFlow.
    from tensorflow.core.example.example_pb2 import Example as Parsed

    try:
        return Parsed.FromString(content)
    except DecodeError:
        return Parsed()
