import datetime

import numpy as np
import pyarrow as pa
import pytest

from pipeline.config import CsvConfig
from pipeline.core.date_formats import TimeColumn, TimestampFormat
from serving.batch.rows.cells import BadCell, cast_columns, find_missing
from serving.rows.signature import DType


def test_a_column_of_bad_cells_keeps_its_length() -> None:
    cells = ["1", "x", None, "2.5", "y"] * 50
    columns, bad = cast_columns(pa.record_batch([cells], ["n"]), {"n": "float32"}, CsvConfig())
    assert columns["n"].to_pylist() == [1, None, None, 2.5, None] * 50
    assert sorted(bad) == [i for i in range(250) if i % 5 in (1, 4)]
    assert bad[1] == BadCell(1, "n", "'x' is not a number")


def test_a_row_is_told_by_its_first_bad_column() -> None:
    batch = pa.record_batch([["x", "1"], ["y", "2.5"]], ["a", "b"])
    _, bad = cast_columns(batch, {"a": "float32", "b": "int64"}, CsvConfig())
    assert [(cell.row, cell.column) for cell in bad.values()] == [(0, "a"), (1, "b")]


@pytest.mark.parametrize(
    ("array", "fault"),
    [
        (pa.array([1e300]), "1e+300 is infinite, or larger than any float of 32 bits"),
        (pa.array([np.inf]), "inf is infinite, or larger than any float of 32 bits"),
        (pa.array([datetime.date(2026, 1, 2)]), "datetime.date(2026, 1, 2) is not a number"),
    ],
)
def test_cells_of_parquet_files_are_told_too(array: pa.Array, fault: str) -> None:
    columns, bad = cast_columns(pa.record_batch([array], ["n"]), {"n": "float32"}, None)
    assert bad[0].reason == fault
    assert columns["n"].to_pylist() == [None]


def test_long_cells_are_shortened() -> None:
    _, bad = cast_columns(pa.record_batch([["x" * 500]], ["n"]), {"n": "int64"}, CsvConfig())
    assert len(bad[0].reason) < 120


def test_missing_keys_are_bad_cells() -> None:
    batch = pa.record_batch([pa.array(["a", None, "b"])], ["id"])
    assert find_missing(batch, "id") == {1: BadCell(1, "id", "the key is missing")}


@pytest.mark.parametrize("csv", [CsvConfig(), None])
def test_a_code_is_no_number_of_a_column_whose_type_was_inferred(csv: CsvConfig | None) -> None:
    batch = pa.record_batch([["7", "007", "8.0", "0", None]], ["zip"])
    columns, bad = cast_columns(batch, {"zip": "int64"}, csv)
    assert columns["zip"].to_pylist() == [7, None, 8, 0, None]
    assert bad[1].reason.startswith("'007' is a code, and the training table has whole")
    columns, bad = cast_columns(batch, {"zip": "int64"}, csv, configured=["zip"])
    assert (columns["zip"].to_pylist(), bad) == ([7, 7, 8, 0, None], {})
    columns, bad = cast_columns(batch, {"zip": "string"}, csv)
    assert (columns["zip"].to_pylist(), bad) == (["7", "007", "8.0", "0", None], {})


MOMENT = datetime.datetime(2025, 8, 31, 14, 40)
IN_UTC = MOMENT.replace(tzinfo=datetime.timezone.utc)


@pytest.mark.parametrize(
    ("stored", "time_format", "dtype", "written"),
    [
        (pa.array([MOMENT]), "iso", "string", "2025-08-31T14:40:00"),
        (pa.array([MOMENT]), "day_first", "string", "31.08.2025 14:40:00"),
        (pa.array([IN_UTC]), "day_first", "string", "31.08.2025 14:40:00+00:00"),
        (pa.array([MOMENT.date()]), "month_first", "string", "08/31/2025"),
        (pa.array([MOMENT.date()]), "epoch_seconds", "int64", 1756598400),
        (pa.array([MOMENT], pa.timestamp("ns")), "epoch_milliseconds", "string", "1756651200000"),
    ],
)
def test_dates_of_parquet_files_are_written_in_the_format_that_the_model_reads(
    stored: pa.Array, time_format: TimestampFormat, dtype: DType, written: object
) -> None:
    times = {"day": TimeColumn(time_format)}
    batch = pa.record_batch([pa.concat_arrays([stored, pa.nulls(1, stored.type)])], ["day"])
    columns, bad = cast_columns(batch, {"day": dtype}, None, times=times)
    assert (columns["day"].to_pylist(), bad) == ([written, None], {})


@pytest.mark.parametrize(
    "stored", [pa.array([None, IN_UTC]), pa.array([None, "2025-08-31T14:40-05:00"])]
)
def test_a_time_with_an_offset_is_a_bad_cell_where_nothing_tells_how_to_convert_it(
    stored: pa.Array,
) -> None:
    times = {"day": TimeColumn("iso", "none")}
    batch = pa.record_batch([stored], ["day"])
    columns, bad = cast_columns(batch, {"day": "string"}, None, times=times)
    assert columns["day"].to_pylist() == [None, None]
    assert list(bad) == [1]
    assert bad[1].reason.endswith("such as 2026-11-20T14:40:00, without an offset from UTC")


def test_numbers_that_are_no_times_are_bad_cells() -> None:
    batch = pa.record_batch([pa.array([0, None, 1795185600000])], ["day"])
    times = {"day": TimeColumn("epoch_seconds")}
    columns, bad = cast_columns(batch, {"day": "int64"}, None, times=times)
    assert columns["day"].to_pylist() == [0, None, None]
    reason = "1795185600000 is no time in the format epoch_seconds, such as 1795185600"
    assert bad == {2: BadCell(2, "day", reason)}
