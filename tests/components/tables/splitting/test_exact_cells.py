"""A cell has one hash, whatever the type of its column and the file it is in."""

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.tables.casting import BadCellError, cast_to_configured
from components.tables.splitting.cell_hash import hash_rows
from components.tables.splitting.exact_cells import find_exact_cells
from pipeline.config import ColumnType, CsvConfig

GERMAN = CsvConfig(decimal=",", thousands=".", units=("€",), delimiter=";")


def hash_as(
    kind: ColumnType, stored: pa.Array, csv: CsvConfig | None = None
) -> dict[object, int] | None:
    try:
        cast = cast_to_configured(stored, kind, csv)
    except BadCellError:
        return None
    exact = find_exact_cells(stored, cast, csv)
    cells = {} if exact is None else {"c": exact}
    batch = pa.RecordBatch.from_arrays([cast], ["c"])
    hashes = hash_rows(batch, ["c"], 0, cells).tolist()
    return dict(zip(stored.to_pylist(), hashes, strict=True))


@given(st.lists(st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(2**24 - 9, 2**24 + 9)))
def test_whole_numbers_hash_the_same_by_every_type(numbers):
    texts = pa.array(list(map(str, numbers)), pa.string())
    expected = hash_as("int", pa.array(numbers, pa.int64()))
    for kind in ("int", "float", "string"):
        assert hash_as(kind, pa.array(numbers, pa.int64())) == expected
        by_text = hash_as(kind, texts, CsvConfig())
        assert list(by_text.values()) == [expected[int(text)] for text in by_text]


@given(st.lists(st.none() | st.floats(width=32, allow_nan=False, allow_infinity=False)))
def test_numbers_of_float32_hash_the_same_as_numbers_and_as_text(numbers):
    stored = pa.array(numbers, pa.float32())
    assert hash_as("float", stored) == hash_as("string", stored)
    assert hash_as("float", stored.cast(pa.float64())) == hash_as("float", stored)


def test_large_numbers_stay_apart_beside_a_fraction_and_a_gap():
    hashes = hash_as("float", pa.array([16777216.0, 16777217.0, 0.5, None]))
    assert len(set(hashes.values())) == 4


@pytest.mark.parametrize(
    "cell",
    [
        "12,5", "1.234,5", "12,5 €", "€ 12,5", "12", "1.234", "16.777.217", "16.777.217,5", "x",
        None,
    ],
)  # fmt: skip
def test_numbers_with_marks_hash_as_plain_numbers(cell):
    stored = pa.array([cell, None], pa.string())
    as_text = hash_as("string", stored, GERMAN)
    as_number = hash_as("float", stored, GERMAN)
    assert as_number is None if cell == "x" else as_number == as_text
    plain = {
        "12,5": "12.5", "1.234,5": "1234.5", "1.234": "1234", "16.777.217": "16777217",
        "16.777.217,5": "16777217.5",
    }  # fmt: skip
    written = plain.get((cell or "").strip("€ "), cell)
    (expected, _) = hash_as("string", pa.array([written, "?"], pa.string())).values()
    assert as_text[cell] == expected


@pytest.mark.parametrize(
    ("mark", "cell", "plain"),
    [
        ({"decimal": ",", "delimiter": ";"}, "12,5", "12.5"),
        ({"thousands": ","}, "1,234", "1234"),
        ({"units": ("€",)}, "12 €", "12"),
    ],
)
def test_each_mark_alone_leaves_the_hash_of_the_plain_number(mark, cell, plain):
    marked = hash_as("string", pa.array([cell, "x"]), CsvConfig(**mark))
    expected = hash_as("string", pa.array([plain, "x"]))
    assert [*marked.values()] == [*expected.values()]


def test_a_text_with_the_marks_of_numbers_stays_this_text():
    texts = pa.array(["a.b", "a?b", "1,2,3", "€"])
    assert hash_as("string", texts, GERMAN) == hash_as("string", texts)


def test_booleans_and_decimals_hash_the_same_as_numbers_and_as_text():
    for stored in (
        pa.array([True, False, None]),
        pa.array([Decimal("16777217.00"), Decimal("2.50"), None], pa.decimal128(12, 2)),
    ):
        assert hash_as("float", stored) == hash_as("string", stored)
