"""Hashes of rows depend on their values alone, and differ between values."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.tables.splitting import cell_hash
from components.tables.splitting.cell_hash import hash_rows

ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "i": st.none() | st.integers(-(2**63), 2**63 - 1),
            "f": st.none() | st.floats(width=32, allow_nan=False),
            "s": st.none() | st.text(),
        }
    ),
    max_size=20,
)
SCHEMA = pa.schema({"i": pa.int64(), "f": pa.float32(), "s": pa.string()})


def hashes(rows: list[dict[str, object]], seed: int = 0) -> list[int]:
    batch = pa.RecordBatch.from_pylist(rows, SCHEMA)
    return hash_rows(batch, SCHEMA.names, seed).tolist()


def test_hashes_equal_those_of_earlier_versions():
    """If this fails, the splits of every user change: rows of test move into train."""
    rows = [
        {"i": 1, "f": 0.5, "s": "Straße"},
        {"i": -(2**62), "f": math.inf, "s": ""},
        {"i": None, "f": None, "s": None},
    ]
    assert hashes(rows) == [5592333580179486409, 5211988695397589611, 10218502665074317081]


@given(ROWS)
def test_rows_are_hashed_one_by_one(rows):
    assert hashes(rows) == [hashes([row])[0] for row in rows]


@given(ROWS, st.integers(0, 20))
def test_a_slice_hashes_like_the_same_rows_of_the_whole_batch(rows, cut):
    batch = pa.RecordBatch.from_pylist(rows, SCHEMA)
    cut = min(cut, len(rows))
    assert hash_rows(batch.slice(cut), SCHEMA.names, 0).tolist() == hashes(rows)[cut:]


@given(ROWS)
def test_the_order_of_the_columns_does_not_change_the_hash(rows):
    batch = pa.RecordBatch.from_pylist(rows, SCHEMA)
    assert hash_rows(batch, ["s", "i", "f"], 0).tolist() == hashes(rows)


@given(
    st.sets(
        st.text(st.characters(exclude_categories=["N", "Z", "Cc", "Cs"]), min_size=1), max_size=50
    )
)
def test_different_texts_have_different_hashes(texts):
    assert len(set(hashes([{"s": text} for text in texts]))) == len(texts)


def test_similar_texts_and_missing_text_have_different_hashes():
    texts = ["\0", "\0\0", "ab", "ba", "a", "aa", "a" * 7, "a" * 8, "a" * 9, None]
    assert len(set(hashes([{"s": text} for text in texts]))) == len(texts)


def test_a_blank_cell_is_a_missing_cell():
    assert len(set(hashes([{"s": text} for text in ("", " ", "\t\u00a0", None)]))) == 1


@pytest.mark.parametrize(
    "texts", [["8", "8.0", " 8 ", "+8", "8e0", "08", "\u00a08"], ["0.1", ".1", "1e-1"]]
)
def test_a_number_hashes_the_same_as_text_in_any_notation(texts):
    for kind in (pa.float32(), pa.int64()) if texts[0] == "8" else (pa.float32(),):
        number = pa.RecordBatch.from_pydict({"c": pa.array([float(texts[0])]).cast(kind)})
        as_text = pa.RecordBatch.from_pydict({"c": texts})
        expected = hash_rows(number, ["c"], 0)[0]
        assert (hash_rows(as_text, ["c"], 0) == expected).all()


def test_text_around_digits_is_no_number():
    cells = ["8 a", "a8", "8-9", "1.2.3", "-", ".", "+", "8e", "2026-01-02", "8", None, "9"]
    batch = pa.RecordBatch.from_pydict({"c": cells})
    assert len(set(hash_rows(batch, ["c"], 0).tolist())) == len(cells)


def test_swapping_the_cells_of_two_columns_changes_the_hash():
    batch = pa.RecordBatch.from_pydict({"a": ["x", "y"], "b": ["y", "x"]})
    first, second = hash_rows(batch, ["a", "b"], 0)
    assert first != second


def test_a_number_hashes_the_same_as_integer_and_as_float():
    integers, floats = (
        hashes([{"i": 8}]),
        pa.RecordBatch.from_pydict(
            {"i": pa.array([8.0], pa.float32()), "f": pa.nulls(1, pa.float32()), "s": [""]}
        ),
    )
    assert hashes([{"i": 8, "s": ""}]) == hash_rows(floats, ["i", "f", "s"], 0).tolist()
    assert integers != hashes([{"i": 9}])


def test_negative_zero_hashes_like_zero_but_not_like_missing():
    assert hashes([{"f": 0.0}]) == hashes([{"f": -0.0}]) != hashes([{"f": None}])


def test_another_seed_gives_another_hash():
    assert hashes([{"i": 1}], seed=0) != hashes([{"i": 1}], seed=1)


def test_text_longer_than_a_chunk_hashes_like_in_one_chunk(monkeypatch):
    rows = [{"s": "x" * n} for n in (0, 3, 40, 1, 0, 7, 100)]
    expected = hashes(rows)
    monkeypatch.setattr(cell_hash, "_TEXT_CHUNK", 8)
    assert hashes(rows) == expected


def test_hashes_are_spread_evenly():
    batch = pa.RecordBatch.from_pydict({"i": np.arange(100_000), "s": ["same"] * 100_000})
    leading = hash_rows(batch, ["i", "s"], 0) >> np.uint64(60)
    counts = np.bincount(leading.astype(np.int64), minlength=16)
    # 6,250 are expected in each of 16 bins; the tolerance is five standard deviations.
    assert np.all(np.abs(counts - 6250) < 5 * math.sqrt(6250))


def test_a_long_whole_number_hashes_the_same_as_text():
    """As float32, both numbers would be one."""
    numbers = [2**24, 2**24 + 1]
    integers = pa.RecordBatch.from_pydict({"c": numbers})
    texts = pa.RecordBatch.from_pydict({"c": list(map(str, numbers))})
    expected = hash_rows(integers, ["c"], 0).tolist()
    assert hash_rows(texts, ["c"], 0).tolist() == expected
    assert len(set(expected)) == 2


def test_bytes_that_are_no_text_differ_from_none_at_all():
    cells = pa.array([b"", b"\xff", b"a", b"\xffa"], pa.binary()).view(pa.string())
    batch = pa.RecordBatch.from_arrays([cells], ["c"])
    assert len(set(hash_rows(batch, ["c"], 0).tolist())) == 4
