"""Tensors of a gRPC request to the arrays that a model takes, and outputs to tensors.

A tensor has no place for a missing value: NaN is one in a column of numbers. For a missing integer
or text, a client sends tf.Examples to the signature `serving_examples` and leaves the column out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from serving.errors import bad_request, too_many_rows
from serving.rows.checks import check_values
from serving.rows.request import compare_names
from serving.rows.signature import DType, Signature, Tensor
from serving.rows.values import Array

TensorProto = Any
"""A tensorflow.TensorProto, whose class has no types."""

_MISSING_HINT = "a tensor has no missing values but NaN; tf.Examples may leave a column out"

_ENUMS: dict[DType, int] = {
    "float32": tf.float32.as_datatype_enum,
    "int64": tf.int64.as_datatype_enum,
    "string": tf.string.as_datatype_enum,
}


def read_inputs(
    inputs: Mapping[str, TensorProto], signature: Signature, most_rows: int
) -> tuple[Array, ...]:
    """Returns an array [rows, inputs] for each group of the signature's inputs.

    Raises:
      RequestError: an input is missing or unknown or has another type or shape, a time has another
        format, or there are too many rows.
    """
    names = [tensor.name for tensor in signature.inputs]
    if problem := compare_names(inputs, names, _MISSING_HINT):
        raise bad_request(f"inputs: {problem}")
    rows = {tensor.name: _count_rows(inputs[tensor.name], tensor) for tensor in signature.inputs}
    if len(set(rows.values())) > 1:
        raise bad_request(f"inputs: the tensors differ in length: {rows}")
    count = next(iter(rows.values()))
    if not count:
        raise bad_request("the request holds no rows")
    # Before the values: a tensor of one value may claim any number of equal rows.
    if count > most_rows:
        raise too_many_rows(count, most_rows)
    blocks = tuple(
        np.stack([_read_values(inputs[tensor.name], tensor) for tensor in group.inputs], axis=1)
        for group in signature.groups
    )
    check_values(signature, blocks)
    return blocks


def _count_rows(proto: TensorProto, tensor: Tensor) -> int:
    sizes = [dim.size for dim in proto.tensor_shape.dim]
    if proto.dtype != _ENUMS[tensor.dtype]:
        # A client may send a number that is no type.
        given = dict(proto.DESCRIPTOR.fields_by_name["dtype"].enum_type.values_by_number)
        name = given[proto.dtype].name if proto.dtype in given else proto.dtype
        raise bad_request(f"'{tensor.name}' takes {tensor.dtype}, not {name}")
    if len(sizes) not in (1, 2) or sizes[1:] not in ([], [1]) or sizes[0] < 0:
        shapes = "[rows] or [rows, 1]" if tensor.is_column else "[rows]"
        raise bad_request(f"'{tensor.name}' takes the shape {shapes}, not {sizes}")
    return int(sizes[0])


def _read_values(proto: TensorProto, tensor: Tensor) -> Array:
    try:
        values: Array = tf.make_ndarray(proto).reshape(-1)
    except (ValueError, TypeError) as error:
        raise bad_request(f"'{tensor.name}' is damaged: {error}") from None
    if tensor.dtype == "string" and not proto.string_val:
        # TensorFlow fills it with the empty str, which no session takes.
        values[:] = b""
    if tensor.dtype == "float32" and np.isinf(values).any():
        raise bad_request(f"'{tensor.name}' takes finite numbers and NaN for a missing value")
    return values


def write_outputs(outputs: Mapping[str, Array], wanted: Collection[str]) -> dict[str, TensorProto]:
    """Returns the outputs as tensors; `wanted` names some of them; without names, all are returned.

    Raises:
      RequestError: an output is unknown.
    """
    if unknown := [name for name in wanted if name not in outputs]:
        raise bad_request(f"output_filter: no output '{unknown[0]}'; the model has {[*outputs]}")
    return {name: tf.make_tensor_proto(outputs[name]) for name in wanted or outputs}
