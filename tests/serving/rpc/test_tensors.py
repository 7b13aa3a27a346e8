"""Tensors that are wrong, hostile or unusual; no server."""

from __future__ import annotations

import contextlib
import math
import re
from http import HTTPStatus
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorflow.core.framework.tensor_pb2 import TensorProto

from pipeline.core.date_formats import TimeColumn
from serving.errors import RequestError
from serving.rows.signature import Signature, Tensor
from serving.rpc.tensors import _ENUMS, read_inputs, write_outputs

SIGNATURE = Signature(
    "serving_default",
    (
        Tensor("fare", "float32", 2, 1),
        Tensor("payment", "string", 2, 1),
        Tensor("tip", "float32", 2, 1),
    ),
    (Tensor("score", "float32", 1),),
)
MOST_ROWS = 100


def make_inputs(**changed: Any) -> dict[str, Any]:
    """Returns the tensors of two rows; a changed one may be a value, a tensor or None."""
    values: dict[str, Any] = {
        "fare": np.float32([[1], [math.nan]]),
        "tip": np.float32([3, 4]),
        "payment": [[b"Cash"], [b"\xff"]],
        **changed,
    }
    return {
        name: value if isinstance(value, TensorProto) else tf.make_tensor_proto(value)
        for name, value in values.items()
        if value is not None
    }


def refusal(inputs: dict[str, Any]) -> RequestError:
    with pytest.raises(RequestError) as caught:
        read_inputs(inputs, SIGNATURE, MOST_ROWS)
    return caught.value


def make_claim(*sizes: int, **content: Any) -> Any:
    """Returns a float tensor that claims a shape, whatever it holds."""
    shape = {"dim": [{"size": size} for size in sizes]}
    return TensorProto(dtype=1, tensor_shape=shape, **content)


def test_inputs_of_a_type_become_one_array() -> None:
    numbers, texts = read_inputs(make_inputs(), SIGNATURE, MOST_ROWS)
    np.testing.assert_array_equal(numbers, np.float32([[1, 3], [math.nan, 4]]))
    assert texts.tolist() == [[b"Cash"], [b"\xff"]]


def test_a_time_in_another_format_is_refused() -> None:
    day = Tensor("day", "string", 2, 1, TimeColumn("day_first"))
    signature = Signature("serving_default", (day,), ())
    inputs = {"day": tf.make_tensor_proto([b"31.08.2025", b"2025-08-31"])}
    with pytest.raises(RequestError, match="row 1: 'day' takes a time in the format day_first"):
        read_inputs(inputs, signature, MOST_ROWS)


def test_infinite_numbers_are_refused() -> None:
    words = refusal(make_inputs(fare=np.float32([[1], [math.inf]]))).message
    assert words == "'fare' takes finite numbers and NaN for a missing value"


def test_one_value_may_stand_for_equal_rows_up_to_the_limit() -> None:
    claims = {name: make_claim(MOST_ROWS, float_val=[7.0]) for name in ("fare", "tip")}
    texts = [["x"]] * MOST_ROWS
    numbers, _ = read_inputs(make_inputs(**claims, payment=texts), SIGNATURE, MOST_ROWS)
    assert (numbers == 7).all()
    assert numbers.shape == (MOST_ROWS, 2)


def test_texts_without_values_are_empty_texts() -> None:
    """As in TensorFlow Serving."""
    texts = TensorProto(dtype=7, tensor_shape={"dim": [{"size": 2}]})
    _, read = read_inputs(make_inputs(payment=texts), SIGNATURE, MOST_ROWS)
    assert read.tolist() == [[b""], [b""]]


def test_a_small_tensor_that_claims_many_rows_takes_no_memory() -> None:
    rows = 2**40
    shape = {"dim": [{"size": rows}]}
    texts = TensorProto(dtype=7, tensor_shape=shape, string_val=[b"x"])
    claim = make_claim(rows, float_val=[7.0])
    error = refusal(make_inputs(fare=claim, tip=claim, payment=texts))
    assert error.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"tip": None}, "missing column 'tip'"),
        ({"tipp": [1.0]}, r"unknown column 'tipp' \(did you mean 'tip'\?\)"),
        ({"fare": np.float64([1, 2])}, "'fare' takes float32, not DT_DOUBLE"),
        ({"payment": [1, 2]}, "'payment' takes string, not DT_INT32"),
        ({"tip": np.float32([[1, 2], [3, 4]])}, r"'tip' takes the shape .*, not \[2, 2\]"),
        ({"tip": np.float32(1)}, r"'tip' takes the shape .*, not \[\]"),
        ({"tip": np.float32([1, 2, 3])}, "the tensors differ in length"),
        ({"tip": make_claim(-1)}, r"not \[-1\]"),
        ({"tip": make_claim(2, tensor_content=b"\0" * 7)}, "'tip' is damaged"),
        ({"tip": make_claim(2, float_val=[1, 2, 3])}, "'tip' is damaged"),
        ({"tip": TensorProto(dtype=99)}, "'tip' takes float32, not 99"),
        (
            {name: make_claim(0) for name in ("fare", "tip")} | {"payment": np.array([], object)},
            "no rows",
        ),
    ],
)
def test_a_wrong_tensor_is_named(changed: dict[str, Any], words: str) -> None:
    error = refusal(make_inputs(**changed))
    assert error.status == HTTPStatus.BAD_REQUEST
    assert re.search(words, error.message)


def draw_tensors(dtype: int) -> st.SearchStrategy[Any]:
    """Returns tensors that are mostly of the type and of two rows, with any values."""
    shapes = [{"dim": [{"size": 2}]}] * 8 + [
        {"dim": [{"size": 2}, {"size": 1}]},
        {"dim": [{"size": -1}]},
        {"unknown_rank": True},
    ]
    return st.builds(
        TensorProto,
        dtype=st.sampled_from([dtype] * 8 + [9, 77]),
        tensor_shape=st.sampled_from(shapes),
        float_val=st.lists(st.floats(width=32), max_size=3),
        int_val=st.lists(st.integers(-9, 9), max_size=2),
        string_val=st.lists(st.binary(max_size=5), max_size=3),
        tensor_content=st.sampled_from([b""] * 8 + [b"x", b"12345678"]),
    )


@settings(max_examples=300, deadline=None)
@given(st.fixed_dictionaries({t.name: draw_tensors(_ENUMS[t.dtype]) for t in SIGNATURE.inputs}))
def test_no_tensor_is_an_error_of_the_server(inputs: dict[str, Any]) -> None:
    with contextlib.suppress(RequestError):
        numbers, texts = read_inputs(inputs, SIGNATURE, MOST_ROWS)
        assert (numbers.dtype, numbers.shape) == (np.float32, (2, 2))
        assert {*map(type, texts.flat)} == {bytes}


def test_only_the_wanted_outputs_are_written() -> None:
    outputs = {"score": np.float32([0.5]), "class": np.array([b"yes"], object)}
    assert set(write_outputs(outputs, [])) == {"score", "class"}
    (written,) = write_outputs(outputs, ["class"]).values()
    assert tf.make_ndarray(written).tolist() == [b"yes"]
    with pytest.raises(RequestError, match="no output 'klass'"):
        write_outputs(outputs, ["klass"])
