"""JSON values become arrays, or an error that names column and row."""

import math

import numpy as np
import pytest

from pipeline.core.contracts import MISSING_INT, MISSING_STRING
from serving.errors import RequestError
from serving.rows.signature import DType, Group, Tensor
from serving.rows.values import to_array


def group(dtype: DType, *names: str, is_column: bool = True) -> Group:
    tensors = tuple(Tensor(name, dtype, 2 if is_column else 1, 1) for name in names)
    return Group(dtype, is_column, tensors)


def test_numbers_are_float32_and_null_is_nan() -> None:
    array = to_array(group("float32", "a", "b"), [(1, 2.5), (None, -3e38), ([3], [None])])
    assert array.dtype == np.float32
    np.testing.assert_array_equal(array, np.float32([[1, 2.5], [np.nan, -3e38], [3, np.nan]]))


def test_whole_numbers_may_be_floats_as_in_tables_with_missing_values() -> None:
    array = to_array(group("int64", "a"), [(1,), (2.0,), (None,), (math.nan,), (2**63 - 1,)])
    assert array.dtype == np.int64
    assert array[:, 0].tolist() == [1, 2, MISSING_INT, MISSING_INT, 2**63 - 1]


def test_text_is_utf8_and_base64_is_decoded() -> None:
    array = to_array(group("string", "a"), [("größe",), ({"b64": "AP8="},), (None,), (["x"],)])
    assert array[:, 0].tolist() == ["größe".encode(), b"\0\xff", MISSING_STRING.encode(), b"x"]


@pytest.mark.parametrize(
    ("dtype", "value", "words"),
    [
        ("float32", "1.5", 'takes a number, or null for a missing value; not "1.5"'),
        ("float32", True, "not true"),
        ("float32", [1, 2], "not a list of 2 values"),
        ("float32", {"b64": "AA=="}, "not an object"),
        ("float32", 10**400, "takes a number between -3.4e38 and 3.4e38, or null"),
        ("float32", -1e39, "takes a number between -3.4e38 and 3.4e38, or null"),
        ("float32", math.inf, "takes a number between -3.4e38 and 3.4e38, or null"),
        ("int64", 1.5, "takes a whole number, or null"),
        ("int64", 2**63, "takes a whole number between -2^63 and 2^63-1, or null"),
        ("int64", math.inf, "takes a whole number between -2^63 and 2^63-1, or null"),
        ("int64", "7", 'takes a whole number, or null for a missing value; not "7"'),
        ("string", 7, "takes text in quotes, or null"),
        ("string", {"b64": "!"}, "takes text"),
        ("string", "\ud800", "takes text"),
        ("string", "x" * 500, None),
    ],
)
def test_another_type_is_named_with_its_column_and_row(
    dtype: DType, value: object, words: str | None
) -> None:
    good = {"float32": 1.0, "int64": 1, "string": "x"}[dtype]
    cells = [(good, good), (good, value)]
    if words is None:
        assert to_array(group(dtype, "a", "b"), cells).shape == (2, 2)
        return
    with pytest.raises(RequestError) as caught:
        to_array(group(dtype, "a", "b"), cells)
    assert caught.value.status == 400
    assert str(caught.value).startswith("row 1: 'b' takes")
    assert words in str(caught.value)


def test_the_hint_is_a_usual_value_of_the_column() -> None:
    column = Group("string", True, (Tensor("express?", "string", 2, 1, usual="ja"),))
    with pytest.raises(RequestError, match=r"takes text, such as \"ja\", or null .*; not true"):
        to_array(column, [(True,)])


def test_a_long_value_is_shortened_in_the_message() -> None:
    with pytest.raises(RequestError) as caught:
        to_array(group("float32", "a"), [("x" * 5000,)])
    assert len(str(caught.value)) < 200


def test_a_serialized_example_cannot_be_missing() -> None:
    with pytest.raises(RequestError, match=r"'examples' takes text; not null"):
        to_array(group("string", "examples", is_column=False), [(None,)])
