"""Which type a column gets, and which values its cells become."""

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.tables.casting import (
    COLUMN_TYPES,
    BadCellError,
    cast_to_configured,
    cast_to_inferred,
    find_narrowest_type,
)
from pipeline.config import CsvConfig

CSV = CsvConfig()
COMMA = CsvConfig(decimal=",", delimiter=";")

CELLS = st.none() | st.sampled_from(
    "0|8|-3| 5 |007|0x1F|8.0|1e5|.5|1,5|inf|x| |true|+1|1 2|"
    "9223372036854775807|9223372036854775808|12345678901234567890123".split("|")
)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "0", "-7", None], "int"),
        ([" 1", "2 "], "int"),
        (["1", " "], "int"),
        (["1", "2.5"], "float"),
        (["1", "8.0"], "float"),
        (["1e-3", "inf"], "float"),
        (["1", "3.4e38"], "float"),
        (["1", "1e49"], "string"),
        (["1.5", "-1e400"], "string"),
        (["inf", "1e49"], "string"),
        (["1", "x"], "string"),
        (["True", "False"], "string"),
        (["02134", "10001"], "string"),
        (["0x1F", "12"], "string"),
        (["1", "12345678901234567890"], "string"),
        (["1.5", "12345678901234567890"], "string"),
        (["9223372036854775807"], "int"),
        (["2026-11-20"], "string"),
        ([None, None], "int"),
    ],
)
def test_text_cells_have_this_narrowest_type(cells, expected):
    assert find_narrowest_type(pa.array(cells, pa.string()), CSV) == expected


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array([1, 2], pa.int16()), "int"),
        (pa.array([2**63], pa.uint64()), "string"),
        (pa.array([1.0, 2.0]), "float"),
        (pa.array([1.0, float("inf")]), "float"),
        (pa.array([1.0, 1e49]), "string"),
        (pa.array(["1", "2"]), "string"),
        (pa.array([True]), "string"),
        (pa.array([None]), "int"),
    ],
)
def test_a_parquet_column_has_the_type_that_its_stored_type_maps_to(array, expected):
    assert find_narrowest_type(array, None) == expected


@given(st.lists(CELLS, max_size=8), st.integers(0, 8))
def test_the_type_does_not_depend_on_order_or_blocks(cells, cut):
    whole = find_narrowest_type(pa.array(cells, pa.string()), CSV)
    shuffled = find_narrowest_type(pa.array(sorted(cells, key=str), pa.string()), CSV)
    pieces = find_narrowest_type(pa.array(cells[:cut], pa.string()), CSV)
    pieces = find_narrowest_type(pa.array(cells[cut:], pa.string()), CSV, at_least=pieces)
    assert whole == shuffled == pieces


@given(st.lists(CELLS, max_size=8))
def test_a_column_casts_to_its_type_and_to_wider_ones(cells):
    array = pa.array(cells, pa.string())
    narrowest = COLUMN_TYPES.index(find_narrowest_type(array, CSV))
    for position, wanted in enumerate(COLUMN_TYPES):
        if position < narrowest:
            with pytest.raises(BadCellError):
                cast_to_inferred(array, wanted, CSV)
        else:
            assert len(cast_to_inferred(array, wanted, CSV)) == len(cells)


def test_a_cell_equal_to_a_marker_of_missing_values_becomes_null():
    integers = pa.array([str(-(2**63)), "1"], pa.string())
    assert cast_to_inferred(integers, "int", CSV).to_pylist() == [None, 1]
    words = pa.array(["__MISSING__", "a"], pa.string())
    assert cast_to_inferred(words, "string", CSV).to_pylist() == [None, "a"]


@given(st.lists(st.none() | st.integers(-(2**63) + 1, 2**63 - 1)))
def test_integers_written_as_text_are_read_exactly(numbers):
    text = pa.array([None if n is None else str(n) for n in numbers], pa.string())
    assert cast_to_inferred(text, "int", CSV).to_pylist() == numbers


@given(st.lists(st.none() | st.floats(width=32, allow_nan=False)))
def test_floats_written_as_text_are_read_exactly(numbers):
    text = pa.array([None if x is None else repr(x) for x in numbers], pa.string())
    assert cast_to_configured(text, "float", CSV).to_pylist() == numbers


@given(st.lists(st.none() | st.text()))
def test_a_text_column_keeps_its_text(cells):
    assert cast_to_configured(pa.array(cells, pa.string()), "string", CSV).to_pylist() == cells


@pytest.mark.parametrize(
    ("cell", "wanted", "expected"),
    [
        ("8.0", "int", 8),
        (" 8. ", "int", 8),
        ("007", "int", 7),
        ("9007199254740993.0", "int", 9007199254740993),
        (" 0 ", "float", 0.0),
        ("1e40", "float", math.inf),
        ("nan", "float", None),
        (" NA ", "float", None),
        (" ", "int", None),
        (" NA ", "string", " NA "),
    ],
)
def test_configured_types_are_read_leniently(cell, wanted, expected):
    assert cast_to_configured(pa.array([cell]), wanted, CSV).to_pylist() == [expected]


@pytest.mark.parametrize(
    ("array", "wanted", "expected"),
    [
        (pa.array([7, None]), "string", ["7", None]),
        (pa.array([8.0, 0.5, math.nan]), "string", ["8", "0.5", None]),
        (pa.array([0.1], pa.float32()), "string", ["0.1"]),
        (pa.array([True, False]), "float", [1.0, 0.0]),
        (pa.array([8.0, math.nan]), "int", [8, None]),
        (pa.array(["8.0", None]), "int", [8, None]),
        (pa.array([1e40]), "float", [math.inf]),
        (pa.array([2**63], pa.uint64()), "float", [2.0**63]),
    ],
)
def test_parquet_columns_are_cast_to_configured_types(array, wanted, expected):
    assert cast_to_configured(array, wanted, None).to_pylist() == expected


@pytest.mark.parametrize(
    ("array", "wanted"),
    [
        (pa.array([1, 8.5]), "int"),
        (pa.array([1, 2**63], pa.uint64()), "int"),
        (pa.array(["1", "NA"]), "float"),
        (pa.array([0, 0], pa.timestamp("s")), "float"),
    ],
)
def test_parquet_cells_that_do_not_fit_the_configured_type_are_refused(array, wanted):
    with pytest.raises(BadCellError):
        cast_to_configured(array, wanted, None)


def test_a_decimal_comma_is_read_only_where_it_is_configured():
    assert cast_to_configured(pa.array(["1,5", " 2"]), "float", COMMA).to_pylist() == [1.5, 2.0]
    assert find_narrowest_type(pa.array(["1,5"]), COMMA) == "float"
    assert find_narrowest_type(pa.array(["1.5"]), COMMA) == "string"
    assert find_narrowest_type(pa.array(["1,5"]), CSV) == "string"


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_error_names_the_first_bad_cell(before, after):
    cells = pa.array(["1"] * before + ["bad"] + ["worse"] * after)
    with pytest.raises(BadCellError) as caught:
        cast_to_configured(cells, "float", CSV)
    assert (caught.value.row, caught.value.value) == (before, "bad")


def test_the_bytes_beneath_missing_cells_do_not_change_the_type():
    text = pa.array(["12", "007", "x"])
    valid = pa.array([True, False, False])
    masked = pa.Array.from_buffers(
        pa.string(), 3, [valid.buffers()[1], *text.buffers()[1:]], null_count=2
    )
    assert find_narrowest_type(masked, CSV) == "int"
    assert cast_to_inferred(masked, "int", CSV).to_pylist() == [12, None, None]


def test_a_slice_ignores_the_cells_before_it():
    text = pa.array(["007", "12", "13"])
    assert find_narrowest_type(text[1:], CSV) == "int"
    assert np.array_equal(cast_to_inferred(text[1:], "int", CSV).to_numpy(), [12, 13])


def test_a_decimal_that_is_to_be_an_integer_keeps_all_its_digits():
    kind = pa.decimal128(38, 0)
    exact = pa.array([Decimal(2**53 + 1), None], kind)
    assert cast_to_configured(exact, "int", None).to_pylist() == [2**53 + 1, None]
    with pytest.raises(BadCellError, match="18446744073709551616"):
        cast_to_configured(pa.array([Decimal(2**64)], kind), "int", None)
    with pytest.raises(BadCellError, match=r"2\.50"):
        cast_to_configured(pa.array([Decimal("2.50")], pa.decimal128(9, 2)), "int", None)
