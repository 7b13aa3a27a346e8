"""Names, types and rows of a Parquet file, and the files that are refused."""

import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from components.tables.parquet.parquet_file import (
    find_unreadable,
    iter_parquet_file,
    read_parquet_types,
)
from components.tables.readers import iter_parquet_blocks, read_header
from pipeline.config import DataConfig
from pipeline.core.errors import ConfigError, DataError


def stored(tmp_path: Path, **columns: pa.Array) -> Path:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def test_column_names_may_contain_dots_or_be_empty(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table([[1], [2], [3]], names=["a", "a.b", ""]), path)
    data = DataConfig(source="parquet", path=(str(path),))
    assert read_header(path, data).names == ("a", "a.b", "column_3")
    (block,) = iter_parquet_blocks([path])
    assert block.to_pylist() == [{"a": 1, "a.b": 2, "column_3": 3}]


@pytest.mark.parametrize(
    "array", [pa.array([[1, 2]]), pa.array([{"a": 1}]), pa.array([datetime.timedelta(1)])]
)
def test_nested_columns_are_left_out_and_refused_where_they_are_read(tmp_path, array):
    path = stored(tmp_path, ok=pa.array([1]), x=array)
    assert [block.to_pylist() for block in iter_parquet_blocks([path])] == [[{"ok": 1}]]
    # Newer versions of Arrow name the values of a list otherwise.
    assert find_unreadable(read_parquet_types(path)) == {
        "x": str(pq.read_schema(path).field("x").type)
    }
    with pytest.raises(DataError, match=r"t\.parquet: column 'x' is of type "):
        list(iter_parquet_file(path, ["ok", "x"]))


def test_bytes_that_are_not_utf8_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"t\.parquet: column 'x' holds bytes that are not"):
        list(iter_parquet_blocks([stored(tmp_path, x=pa.array([b"\xff"]))]))


def test_a_column_name_that_occurs_twice_is_refused(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), path)
    with pytest.raises(DataError, match="two columns are named 'a'"):
        list(iter_parquet_blocks([path]))


@pytest.mark.parametrize("keep", [0, 50, -10])
def test_damaged_files_are_refused(tmp_path, keep):
    path = stored(tmp_path, x=pa.array(range(1000)))
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DataError, match=r"t\.parquet: not a Parquet file, or a damaged one"):
        list(iter_parquet_blocks([path]))


def test_a_damaged_page_is_refused(tmp_path):
    path = stored(tmp_path, x=pa.array([str(i**9) for i in range(10_000)]))
    content = bytearray(path.read_bytes())
    content[4:2000] = bytes(1996)
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"t\.parquet: not a Parquet file, or a damaged one"):
        list(iter_parquet_blocks([path]))


def test_a_missing_file_is_a_configuration_error(tmp_path):
    with pytest.raises(ConfigError, match=r"data\.path: .*no\.parquet cannot be read"):
        list(iter_parquet_blocks([tmp_path / "no.parquet"]))


def test_a_file_that_lost_a_column_was_changed(tmp_path: Path) -> None:
    path = stored(tmp_path, x=pa.array([1]))
    with pytest.raises(DataError, match=r"t\.parquet: the file was changed while it was read"):
        list(iter_parquet_file(path, ["x", "gone"]))
