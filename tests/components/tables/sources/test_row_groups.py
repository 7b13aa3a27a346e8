"""Row groups of a Parquet file are read alone, and their rows keep their numbers in the file."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from components.tables.parquet.parquet_file import iter_parquet_file
from components.tables.sources.row_groups import RowGroups, file_of
from pipeline.core.errors import DataError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of 100 rows in ten row groups."""
    pq.write_table(pa.table({"n": range(100)}), tmp_path / "t.parquet", row_group_size=10)
    return tmp_path / "t.parquet"


def test_a_range_has_the_rows_of_its_groups_and_their_numbers(path: Path) -> None:
    for first, after in ((0, 1), (3, 5), (9, 10), (0, 10)):
        blocks = list(iter_parquet_file(RowGroups(path, first, after), ["n"]))
        rows = [n for block in blocks for n in block.batch.column(0).to_pylist()]
        assert rows == list(range(10 * first, 10 * after))
        assert blocks[0].first_row == 10 * first
        assert {block.path for block in blocks} == {path}


def test_the_file_of_a_range_is_known(path: Path) -> None:
    assert file_of(RowGroups(path, 3, 5)) == file_of(path) == path


def test_a_file_that_lost_row_groups_is_refused(path: Path) -> None:
    with pytest.raises(DataError, match=r"t\.parquet: the file was changed while it was read"):
        list(iter_parquet_file(RowGroups(path, 8, 11), ["n"]))
