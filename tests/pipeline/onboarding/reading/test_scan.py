"""One pass over all rows: exact where it must be, a bounded sample for the rest."""

import numpy as np
import pyarrow as pa
import pytest

from pipeline.config import CsvConfig
from pipeline.onboarding.reading.columns import make_columns
from pipeline.onboarding.reading.missing_markers import choose_markers
from pipeline.onboarding.reading.number_parsing import parse_numbers
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


def test_the_sample_is_bounded_and_spread_over_the_table():
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
def test_the_last_cell_counts(cell, is_number):
    scan = scan_blocks(with_last("group", cell), "y", CsvConfig())
    column = scan.columns["group"]
    assert (column.is_integral, column.high) == (cell != "7.5", 29_999)
    assert dict(column.non_numbers) == ({} if cell == "7.5" else {cell: 1})
    columns = make_columns(scan, choose_markers(scan, "y"), CsvConfig())
    assert columns["group"].is_number is is_number or cell == "none such"


def test_distinct_values_of_the_whole_table_are_estimated():
    scan = scan_blocks(blocks(12), "y", CsvConfig())
    columns = make_columns(scan, choose_markers(scan, "y"), CsvConfig())
    assert columns["group"].distinct == pytest.approx(30_000, rel=0.05)
    assert columns["x"].distinct > 300_000
    assert columns["x"].distinct_share == 1


@pytest.mark.parametrize(
    ("cell", "decimal", "value"),
    [
        ("1.5", ".", 1.5), ("-2", ".", -2), (" 3 ", ".", 3), ("1e3", ".", 1000), (".5", ".", 0.5),
        ("5.", ".", 5), ("007", ".", 7), ("1,5", ",", 1.5), ("1,5", ".", None), ("1.5", ",", None),
        ("+1", ".", None), ("inf", ".", None), ("1e39", ".", None), ("0x10", ".", None),
        ("1_000", ".", None), ("nan", ".", None), ("--1", ".", None), ("١", ".", None),
    ],
)  # fmt: skip
def test_numbers_are_what_the_example_gen_reads(cell, decimal, value):
    parsed = parse_numbers(pa.array([cell, None, "  "]), CsvConfig(delimiter=";", decimal=decimal))
    assert parsed.non_numbers.to_pylist() == ([] if value is not None else [cell])
    assert np.isnan(parsed.values[1:]).all()
    assert (None if np.isnan(parsed.values[0]) else parsed.values[0]) == value
