"""A block keeps the cells that a hash takes beside those that a column has."""

from pathlib import Path

import pyarrow as pa

from components.tables.file_block import FileBlock


def test_a_filter_takes_the_same_rows_of_the_exact_cells():
    batch = pa.RecordBatch.from_pydict({"id": ["1,5", "x", "2,5"]})
    block = FileBlock(Path("t.csv"), 7, batch, {"id": pa.array(["1.5", "x", "2.5"])})
    kept = block.filter(pa.array([True, False, True]))
    assert kept.batch.to_pydict() == {"id": ["1,5", "2,5"]}
    assert kept.exact["id"].to_pylist() == ["1.5", "2.5"]
    assert (kept.path, kept.first_row) == (block.path, 7)
