"""The bodies of predict requests."""

import itertools
import json
import math
import time
import unicodedata
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.errors import RequestError
from serving.rows.request import parse_json, read_rows, signature_name
from serving.rows.signature import Signature, Tensor

SIGNATURE = Signature(
    "serving_default",
    (
        Tensor("count", "int64", 2, 1),
        Tensor("fare", "float32", 2, 1),
        Tensor("paid", "string", 2, 1),
    ),
    (),
)
EXAMPLES = Signature("serving_examples", (Tensor("examples", "string", 1),), ())
ROW = {"fare": 2.5, "count": 3, "paid": "Cash"}


def error_of(request: Any, signature: Signature = SIGNATURE) -> str:
    with pytest.raises(RequestError) as caught:
        read_rows(request, signature)
    assert caught.value.status == 400
    return caught.value.message


def test_rows_and_columns_mean_the_same() -> None:
    by_row = read_rows({"instances": [ROW, {**ROW, "fare": [None]}]}, SIGNATURE)
    by_column = read_rows(
        {"inputs": {"paid": ["Cash"] * 2, "fare": [[2.5], [None]], "count": [3, [3]]}}, SIGNATURE
    )
    assert by_row.is_row_format
    assert not by_column.is_row_format
    assert by_row.count == by_column.count == 2
    for one, other in zip(by_row.blocks, by_column.blocks, strict=True):
        np.testing.assert_array_equal(one, other)
    floats, integers, texts = by_row.blocks
    np.testing.assert_array_equal(floats, np.array([[2.5], [np.nan]], np.float32))
    assert (integers.tolist(), texts.tolist()) == ([[3], [3]], [[b"Cash"], [b"Cash"]])


@pytest.mark.parametrize(
    "content",
    [
        {"instances": [{"b64": "AQI="}]},
        {"instances": [{"examples": {"b64": "AQI="}}]},
        {"inputs": [{"b64": "AQI="}]},
        {"inputs": {"examples": [{"b64": "AQI="}]}},
    ],
)
def test_the_only_input_may_stand_without_its_name(content: Any) -> None:
    assert read_rows(content, EXAMPLES).blocks[0].tolist() == [[b"\x01\x02"]]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({}, "either 'instances' (rows) or 'inputs' (columns)"),
        ({"instances": [], "inputs": {}}, "either 'instances'"),
        ({"instances": []}, "no rows"),
        ({"inputs": {"fare": [], "count": [], "paid": []}}, "no rows"),
        ({"instances": ROW}, "'instances' is not a list"),
        ({"instances": [ROW, 3]}, "row 1 is not an object"),
        ({"instances": [ROW, {"fare": 1}]}, "row 1: missing columns 'count', 'paid'"),
        ({"instances": [{**ROW, "fair": 1}]}, "unknown column 'fair' (did you mean 'fare'?)"),
        ({"instances": [{**ROW, **{f"x{i}": 1 for i in range(12)}}]}, "and 2 others"),
        ({"inputs": [1]}, "'inputs' is not an object"),
        ({"inputs": {"fare": [1]}}, "inputs: missing columns 'count', 'paid'"),
        ({"inputs": {**ROW}}, "is not a list"),
        ({"inputs": {"fare": [1], "count": [1, 2], "paid": ["x"]}}, "the columns differ in length"),
    ],
)
def test_an_error_says_what_is_wrong_and_where(content: Any, words: str) -> None:
    assert words in error_of(content)


def test_names_in_another_unicode_form_are_the_same_columns() -> None:
    composed, decomposed = (unicodedata.normalize(form, "größe") for form in ("NFC", "NFD"))
    for own, given_name in ((composed, decomposed), (decomposed, composed)):
        signature = Signature("s", (Tensor(own, "float32", 2, 1), Tensor("x", "float32", 2, 1)), ())
        for content in (
            {"instances": [{given_name: 1, "x": 2}]},
            {"inputs": {given_name: [1], "x": [2]}},
        ):
            assert read_rows(content, signature).blocks[0].tolist() == [[1, 2]]
        twice = error_of({"instances": [{composed: 1, decomposed: 1, "x": 2}]}, signature)
        assert "unknown column" in twice


@pytest.mark.parametrize(
    ("content", "signature"),
    [
        ({"instances": [""] * 101}, EXAMPLES),
        ({"instances": [[]] * 101}, SIGNATURE),
        ({"inputs": [""] * 101}, EXAMPLES),
        ({"inputs": {"fare": [1], "paid": [None] * 101}}, SIGNATURE),
    ],
)
def test_too_many_rows_are_refused_before_they_are_read(content: Any, signature: Signature) -> None:
    """The other mistakes of these requests are not reached."""
    with pytest.raises(RequestError, match="the request has 101 rows, more than 100") as caught:
        read_rows(content, signature, 100)
    assert caught.value.status == 413


def test_many_or_long_unknown_names_take_little_time() -> None:
    many = {"".join(letters): 1 for letters in itertools.permutations("farecoup", 8)}
    started = time.process_time()
    assert "and 40,310 others" in error_of({"instances": [{**ROW, **many}]})
    assert len(error_of({"instances": [{**ROW, "fare" * 1_000_000: 1}]})) < 300
    # A search for a similar column takes 0.1 ms per name, so all of them would take 4 s.
    assert time.process_time() - started < 1


def test_nan_and_infinity_are_numbers() -> None:
    content = parse_json(b'{"instances": [NaN, -Infinity, "NaN"]}')
    missing, infinite, text = content["instances"]
    assert math.isnan(missing)
    assert (infinite, text) == (-math.inf, "NaN")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[1]",
        b"{",
        b'"x"',
        b"\xff\xfe{}",
        b'{"instances": [Nan]}',
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a": NaN, "b": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"a": NaN, "b": ' + b"1" * 10_000 + b"}",
    ],
    ids=range(9),
)
def test_a_body_that_is_no_json_object_is_refused(body: bytes) -> None:
    with pytest.raises(RequestError) as caught:
        parse_json(body)
    assert caught.value.status == 400
    assert len(caught.value.message) < 500


def test_the_signature_is_the_default_unless_another_is_named() -> None:
    assert signature_name({}) == signature_name({"signature_name": ""}) == "serving_default"
    assert signature_name({"signature_name": "other"}) == "other"
    with pytest.raises(RequestError, match="not text"):
        signature_name({"signature_name": 3})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
CELLS = JSON | st.sampled_from([1, 2.5, "Cash", None, [3], {"b64": "AQ=="}])
NAMES = st.sampled_from(["fare", "count", "paid", "instances", "b64"])
CONTENTS = st.dictionaries(
    st.sampled_from(["instances", "inputs", "signature_name"]),
    JSON
    | st.lists(st.dictionaries(NAMES, CELLS), max_size=4)
    | st.dictionaries(NAMES, st.lists(CELLS, max_size=3)),
)


@given(CONTENTS, st.sampled_from([SIGNATURE, EXAMPLES]))
def test_any_json_becomes_rows_or_an_error_of_the_request(
    content: Any, signature: Signature
) -> None:
    try:
        body = json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")
        rows = read_rows(parse_json(body), signature)
    except RequestError:
        return
    assert [len(block) for block in rows.blocks] == [rows.count] * len(signature.groups)
