"""The table for the time of `init` has as many rows and columns as the target says."""

from benchmarks.measuring.wide_table import COLUMNS, LABEL, ROWS, make_wide_table


def test_the_wide_table_has_columns_of_every_kind() -> None:
    table = make_wide_table()
    assert table.shape == (ROWS, COLUMNS) == (100_000, 30)
    assert 0.2 < (table[LABEL] == "yes").mean() < 0.8
    assert table["measure 9"].isna().mean() > 0.1
    assert table["order"].is_unique
    assert table["remark"].str.split().str.len().mean() > 8
    assert set(map(str, table.dtypes)) == {"float64", "int64", "object"}
