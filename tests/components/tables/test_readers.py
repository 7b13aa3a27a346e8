"""Several files are read as one table, and errors name the place of a row."""

import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from components.tables import csv_file
from components.tables.readers import (
    describe_place,
    iter_blocks,
    iter_parquet_blocks,
    iter_text_blocks,
    read_header,
)
from pipeline.config import CsvConfig, DataConfig
from pipeline.core.errors import DataError


def test_a_later_csv_file_may_order_its_columns_differently(write):
    paths = [write("a.csv", "a,b\n1,2\n"), write("b.csv", "b,a\n4,3\n"), write("c.csv", "a,b\n")]
    blocks = list(iter_text_blocks(paths, CsvConfig()))
    assert [row for block in blocks for row in block.to_pylist()] == [
        {"a": "1", "b": "2"},
        {"a": "3", "b": "4"},
    ]
    assert all(block.schema.names == ["a", "b"] for block in blocks)


def test_files_with_different_columns_are_refused(write):
    first, second = write("a.csv", "a,b\n1,2\n"), write("b.csv", "a,c\n1,2\n")
    with pytest.raises(DataError, match=r"b\.csv has no column 'b', but .*a\.csv has"):
        list(iter_text_blocks([first, second], CsvConfig()))


def test_the_place_of_a_csv_row_is_the_line_at_which_it_begins(write):
    path = write("a.csv", '\na,b\n1,"x\ny"\n\n3,4\n')
    data = DataConfig(path=(str(path),))
    assert describe_place(path, 0, data) == f"{path}:3"
    assert describe_place(path, 1, data) == f"{path}:6"


def test_a_later_parquet_file_may_have_other_types_and_another_order(tmp_path):
    first, second = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pq.write_table(pa.table({"a": [1], "b": ["x"]}), first)
    pq.write_table(pa.table({"b": ["y"], "a": [2.5]}), second)
    blocks = [block.to_pylist() for block in iter_parquet_blocks([first, second])]
    assert blocks == [[{"a": 1, "b": "x"}], [{"a": 2.5, "b": "y"}]]


def test_the_place_of_a_parquet_row_is_its_number(tmp_path):
    path = tmp_path / "t.parquet"
    data = DataConfig(source="parquet", path=(str(path),))
    assert describe_place(path, 1, data) == f"{path}: row 2"


def test_blocks_hold_the_requested_columns_and_the_index_of_their_first_row(write, monkeypatch):
    monkeypatch.setattr(csv_file, "BLOCK_BYTES", 16)
    path = write("a.csv", "a,b,c\n" + "".join(f"{i},x,{i}\n" for i in range(20)))
    blocks = list(iter_blocks([path], DataConfig(path=(str(path),)), ["c", "a"]))
    assert len(blocks) > 1
    assert {block.path for block in blocks} == {path}
    cells = [(block.first_row, block.batch["c"].to_pylist()) for block in blocks]
    for first_row, numbers in cells:
        assert numbers == [str(first_row + i) for i in range(len(numbers))]
    assert blocks[0].batch.schema.names == ["c", "a"]


@pytest.mark.parametrize("source", ["csv", "parquet"])
def test_more_columns_than_the_limit_are_refused(tmp_path, write, source):
    names = [f"c{n}" for n in range(30)]
    path = write("t.csv", ",".join(names) + "\n")
    if source == "parquet":
        path = tmp_path / "t.parquet"
        pq.write_table(pa.table({name: [1] for name in names}), path)
    settings = {"source": source, "path": (str(path),)}
    assert read_header(path, DataConfig(**settings, limits={"columns": 30})).names == tuple(names)
    with pytest.raises(DataError, match=r"30 columns, but data\.limits\.columns allows 29"):
        read_header(path, DataConfig(**settings, limits={"columns": 29}))


def test_the_cost_of_a_header_is_linear_in_its_columns(write):
    names = [f"c{n}" for n in range(200_000)]
    path = write("t.csv", ",".join(names) + "\n")
    data = DataConfig(path=(str(path),), limits={"columns": 200_000})
    begin = time.process_time()
    assert read_header(path, data).names == tuple(names)
    # Counted name by name, the header took eight minutes.
    assert time.process_time() - begin < 20
