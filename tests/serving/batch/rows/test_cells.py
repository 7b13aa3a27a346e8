import datetime

import numpy as np
import pyarrow as pa
import pytest

from pipeline.config import CsvConfig
from serving.batch.rows.cells import BadCell, cast_columns, find_missing


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
