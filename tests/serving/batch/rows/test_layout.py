from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.config import DataConfig
from pipeline.core.errors import ConfigError, DataError
from serving.batch.rows.layout import Layout, make_layout
from serving.batch.task import Task

CSV = DataConfig(path="-")


def make(path: Path, key: str | None = None, *columns: str, data: DataConfig = CSV) -> Layout:
    task = Task((), "", "", "1", "{}", key=key, columns=columns)
    return make_layout(path, data, task, {"x": "float32"}, ["class"])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_text("id,x,class,last\n1,2,3,4\n", encoding="utf-8")
    return path


def test_what_is_read_holds_inputs_copies_and_the_last_column(table: Path) -> None:
    assert make(table, "id") == Layout(("x", "id", "last"), ("id",), 4)
    assert make(table, None, "last", "x").copied == ("last", "x")


def test_a_column_with_the_name_of_an_output_is_refused(table: Path) -> None:
    with pytest.raises(ConfigError, match="the column 'class' is called as an output") as raised:
        make(table, "id", "*")
    assert "--prefix" in raised.value.hint


def test_missing_columns_are_named_with_a_similar_one(table: Path) -> None:
    with pytest.raises(ConfigError, match=r"--columns: .* has no column 'lsat'") as raised:
        make(table, "id", "lsat")
    assert raised.value.hint == "did you mean 'last'?"
    table.write_text("id;x\n1;2\n", encoding="utf-8")
    with pytest.raises(DataError, match="takes a column 'x', which the file lacks") as missing:
        make(table)
    assert missing.value.hint == "its only column is 'id;x': is data.csv.delimiter right?"


def test_a_column_of_lists_is_refused_only_where_it_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": [1.0], "tags": [["a"]]}), path)
    data = DataConfig(path="-", source="parquet")
    assert make(path, None, "*", data=data).copied == ("x",)
    with pytest.raises(DataError, match="column 'tags' is of type list"):
        make(path, "tags", data=data)
