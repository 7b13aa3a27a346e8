"""Records become the batches that the rows of a table are."""

import pyarrow as pa
from record_files import to_example

from components.record_splits.record_batches import RecordDecoder


def test_records_become_columns_of_single_values() -> None:
    rows = [{"n": 1, "x": 0.5, "c": "a"}, {"n": 2, "x": float("nan"), "tags": ["p", "q"]}, {}]
    records = [to_example(row).SerializeToString() for row in rows]
    decoder = RecordDecoder()
    assert sorted(decoder.find_names(records)) == ["c", "n", "tags", "x"]
    batch = decoder.decode(records, {"c", "n", "tags", "x", "absent"})
    assert batch.schema.names == ["absent", "c", "n", "tags", "x"]
    assert batch.schema.types[1:3] == [pa.string(), pa.int64()]
    assert batch.column(0).null_count == 3
    assert batch.column(1).to_pylist() == ["a", None, None]
    assert batch.column(2).to_pylist() == [1, 2, None]
    assert [text is None for text in batch.column(3).to_pylist()] == [True, False, True]
    assert batch.column(4).to_pylist() == [0.5, None, None]


def test_bytes_that_are_no_text_are_kept_apart() -> None:
    records = [
        to_example({"b": value}).SerializeToString() for value in (b"\xff", b"\xfe", b"\xff")
    ]
    column = RecordDecoder().decode(records, {"b"}).column(0)
    buffers = [value.as_buffer().to_pybytes() for value in column]
    assert buffers == [b"\xff", b"\xfe", b"\xff"]
