"""One pass over all rows: exact counts, and a bounded sample."""

import numpy as np
import pyarrow as pa
import pytest

from pipeline.config import CsvConfig
from pipeline.onboarding.reading.columns import make_columns
from pipeline.onboarding.reading.missing_markers import choose_markers
from pipeline.onboarding.reading.scan import SAMPLE_ROWS, scan_blocks


def blocks(count, rows=50_000):
    for number in range(count):
        values = np.arange(number * rows, (number + 1) * rows)
        columns = {
            "x": [str(v) for v in values],
            "group": [str(v % 30_000) for v in values],
            "y": [str(v % 2) for v in values],
        }
        yield pa.RecordBatch.from_pydict({n: pa.array(c) for n, c in columns.items()})


def with_last(name, cell):
    *others, last = blocks(8)
    columns = last.to_pydict()
    columns[name][-1] = cell
    return [*others, pa.RecordBatch.from_pydict(columns)]


def test_sample_is_bounded_and_spread_over_the_table():
    scan = scan_blocks(blocks(12), "y", CsvConfig())
    assert scan.rows == 600_000
    assert SAMPLE_ROWS / 3 < scan.sample.num_rows <= SAMPLE_ROWS
    positions = np.array(scan.sample["x"].to_pylist(), dtype=int)
    assert positions.mean() == pytest.approx(300_000, rel=0.05)
    assert scan.labels == {"0": 300_000, "1": 300_000}


def test_long_cells_make_the_sample_smaller():
    text = "x" * 1_000_000
    scan = scan_blocks(
        (pa.RecordBatch.from_pydict({"y": [text] * 50}) for _ in range(10)), "y", CsvConfig()
    )
    assert 50 < scan.sample.num_rows < 300
    assert scan.rows == 500


@pytest.mark.parametrize(("cell", "is_number"), [("7.5", True), ("?", True), ("none such", False)])
def test_last_of_many_cells_is_counted(cell, is_number):
    scan = scan_blocks(with_last("group", cell), "y", CsvConfig())
    column = scan.columns["group"]
    assert (column.is_integral, column.high) == (cell != "7.5", 29_999)
    assert dict(column.non_numbers) == ({} if cell == "7.5" else {cell: 1})
    columns = make_columns(scan, choose_markers(scan, "y"), CsvConfig())
    assert columns["group"].is_number is is_number or cell == "none such"
