"""A block of rows keeps the exact cells beside the rows that they belong to."""

from pathlib import Path

import pyarrow as pa

from components.tables.file_block import FileBlock


def test_exact_cells_stay_beside_their_rows_when_rows_are_filtered() -> None:
    batch = pa.record_batch([pa.array([1.0, 2.0, 3.0], pa.float32())], ["fare"])
    block = FileBlock(Path("t.csv"), 7, batch, {"fare": pa.array(["1", "2", "3"])})
    kept = block.filter(pa.array([True, False, True]))
    assert kept.batch["fare"].to_pylist() == [1.0, 3.0]
    assert kept.exact["fare"].to_pylist() == ["1", "3"]
    assert (kept.path, kept.first_row) == (block.path, 7)
