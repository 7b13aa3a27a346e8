"""One column of the sample, with the facts that guesses are based on."""

import numpy as np
import pyarrow as pa
import pytest

from pipeline.config import CsvConfig
from pipeline.onboarding.reading.columns import make_columns
from pipeline.onboarding.reading.missing_markers import choose_markers
from pipeline.onboarding.reading.scan import scan_blocks


def test_distinct_values_of_the_whole_table_are_estimated():
    values = np.arange(600_000)
    table = {"x": values, "group": values % 30_000, "y": values % 2}
    blocks = pa.table({n: v.astype(str) for n, v in table.items()}).to_batches(50_000)
    scan = scan_blocks(blocks, "y", CsvConfig())
    columns = make_columns(scan, choose_markers(scan, "y"), CsvConfig())
    assert columns["group"].distinct == pytest.approx(30_000, rel=0.05)
    assert columns["x"].distinct > 300_000
    assert columns["x"].distinct_share == 1


def test_categories_codes_and_gaps_of_a_column(to_columns):
    column = to_columns({"y": ["0", "1", "0", "1"], "c": ["red", None, "blue", "red"]})["c"]
    assert column.categories == ["red", "blue"]
    assert column.codes.tolist() == [0, -1, 1, 0]
    assert column.counts.tolist() == [2, 1]
    assert (column.rows, column.missing, column.present) == (4, 1, 3)
    assert not column.is_number


def test_markers_are_missing_in_a_column_of_numbers(to_columns):
    column = to_columns({"y": ["0", "1", "0"], "x": ["1.5", "?", "-2"]})["x"]
    assert column.is_number
    assert column.missing == 1
    assert column.numbers.tolist() == [1.5, -2]
    assert column.parse("1e3") == 1000
    assert np.isnan(column.parse("?"))


def test_repeated_rows_do_not_hide_an_identifier(to_columns):
    rows = [*range(30), *range(10)]
    column = to_columns({"y": [str(i % 2) for i in rows], "id": [f"row {i}" for i in rows]})["id"]
    assert column.distinct_share == 1


def test_few_kinds_of_rows_make_no_identifier(to_columns):
    rows = [i % 4 for i in range(40)]
    column = to_columns({"y": [str(i % 2) for i in rows], "c": [f"kind {i}" for i in rows]})["c"]
    assert column.distinct_share == 0.1


@pytest.mark.parametrize(("words", "expected"), [(100, True), (200, False)])
def test_column_is_mostly_numbers_if_the_majority_is(to_columns, words, expected):
    cells = [*(f"{i}.5" for i in range(150)), *("n/v" for _ in range(words))]
    column = to_columns({"y": [str(i % 2) for i in range(len(cells))], "x": cells})["x"]
    assert column.is_mostly_numbers is expected
