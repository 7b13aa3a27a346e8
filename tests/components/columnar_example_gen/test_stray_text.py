"""A few words among numbers are refused; a column of text is not."""

import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from components.columnar_example_gen.stray_text import (
    StrayCount,
    count_stray_text,
    find_number_columns,
    refuse_stray_text,
)
from components.tables.readers import iter_blocks
from pipeline.config import DataConfig
from pipeline.core.errors import DataError


def test_columns_with_hardly_any_word_in_the_first_block_count_as_numbers(write):
    rows = [f"{i},{i},007,x{i}" for i in range(199)]
    path = write("t.csv", "\n".join(["number,few,code,text", *rows, "5,none,008,y", ""]))
    block = next(iter_blocks([path], DataConfig(path=(str(path),))))
    names = ["number", "few", "code", "text"]
    assert find_number_columns(block, names) == {"number", "few", "code"}


def test_columns_of_booleans_and_times_are_no_numbers(tmp_path):
    moment = datetime.datetime(2026, 11, 28)
    columns = {"n": [1, None], "b": [True, None], "t": [moment, None], "d": [moment.date(), None]}
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({**columns, "none": pa.nulls(2)}), path)
    block = next(iter_blocks([path], DataConfig(source="parquet", path=(str(path),))))
    assert find_number_columns(block, [*columns, "none"]) == {"n", "none"}


def test_one_word_among_a_thousand_numbers_is_refused_with_its_line(write):
    path = write("t.csv", "n\n" + "1\n" * 998 + "none\n" + "1\n")
    data = DataConfig(path=(str(path),))
    with pytest.raises(DataError, match=r"t\.csv:1000: column 'n': 'none' stands among numbers"):
        refuse(data, path)


def test_two_words_among_a_thousand_numbers_make_the_column_text(write):
    path = write("t.csv", "n\n" + "1\n" * 998 + "none\n" * 2)
    refuse(DataConfig(path=(str(path),)), path)


def test_counts_of_files_add_up_and_the_first_text_of_the_first_file_is_named(write):
    number = "n\n" + "1\n" * 999
    paths = [write("1.csv", number), write("2.csv", number + "none\n"), write("3.csv", "n\nx\n")]
    data = DataConfig(path=tuple(map(str, paths)))
    with pytest.raises(DataError, match=r"2\.csv:1001: .*'none' .*\(2 such cells of 2,000\)"):
        refuse(data, *paths)


def refuse(data: DataConfig, *paths: Path) -> None:
    """Counts each file apart."""
    whole = StrayCount()
    for path in paths:
        count = StrayCount()
        count_stray_text([path], data, {"n": count})
        whole.append(count)
    refuse_stray_text({"n": whole}, data)
