"""CSV files are read as text, cell by cell."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from components.tables import csv_file, readers
from components.tables.readers import iter_text_blocks, read_header
from pipeline.config import CsvConfig, DataConfig
from pipeline.core.errors import ConfigError, DataError


def rows(path: Path, **settings: object) -> list[dict[str, str | None]]:
    return [row for b in iter_text_blocks([path], CsvConfig(**settings)) for row in b.to_pylist()]


def header(path: Path, **settings: object) -> list[str]:
    return list(read_header(path, DataConfig(path=(str(path),), csv=CsvConfig(**settings))).names)


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_cells_keep_their_text_without_outer_blanks(write, name):
    path = write(name, "a,b\n 007 ,yes\n8.0,No way \n")
    assert rows(path) == [{"a": "007", "b": "yes"}, {"a": "8.0", "b": "No way"}]


def test_missing_cells_are_recognised_between_blanks(write):
    path = write("a.csv", 'a,b\n ,NA \n" ? ",\tx\n')
    assert rows(path, missing=("", "NA", "?")) == [{"a": None, "b": None}, {"a": None, "b": "x"}]


def test_a_file_without_header_gets_numbered_columns(write):
    path = write("a.csv", "\n1,red\n2,blue\n")
    assert header(path, header=False) == ["column_1", "column_2"]
    assert rows(path, header=False) == [
        {"column_1": "1", "column_2": "red"},
        {"column_1": "2", "column_2": "blue"},
    ]
    data = DataConfig(path=(str(path),), csv=CsvConfig(header=False))
    assert readers.describe_place(path, 1, data) == f"{path}:3"


def test_missing_cells_are_null_even_if_quoted_and_zeros_are_values(write):
    path = write("a.csv", 'a,b,c\n,NA,0\n"","NA",0.0\n')
    missing = {"a": None, "b": None}
    assert rows(path) == [{**missing, "c": "0"}, {**missing, "c": "0.0"}]


def test_only_the_configured_texts_are_missing(write):
    path = write("a.csv", "a,b\n?,\n")
    assert rows(path, missing=("?",)) == [{"a": None, "b": ""}]


def test_quoted_cells_may_contain_delimiters_line_breaks_and_quotes(write):
    path = write("a.csv", 'a,b\n"x, y","1\n2"\n"say ""hi""",z\n')
    assert rows(path) == [{"a": "x, y", "b": "1\n2"}, {"a": 'say "hi"', "b": "z"}]


def test_line_breaks_within_cells_survive_block_boundaries(write, monkeypatch):
    monkeypatch.setattr(csv_file, "BLOCK_BYTES", 64)
    expected = [{"a": str(i), "b": f"line\nof {i}"} for i in range(50)]
    text = "a,b\n" + "".join(f'{row["a"]},"{row["b"]}"\n' for row in expected)
    assert rows(write("a.csv", text)) == expected


# No CR LF within a cell: where a block ends between the two, Arrow drops the LF, even in quotes
# (its CSV reader takes the pair for one line ending). A test below has CR LF within one block.
CELL = st.text(st.sampled_from("ab ,;\"'\n\r0.é"), max_size=6).filter(
    lambda cell: cell.strip() and "\r\n" not in cell
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(CELL, CELL), max_size=20), st.sampled_from(["\n", "\r\n"]))
def test_tables_written_by_the_csv_module_are_read_back(write, cells, ending):
    text = io.StringIO()
    csv.writer(text, lineterminator=ending, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *cells])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_file, "BLOCK_BYTES", 64)
        found = rows(write("a.csv", text.getvalue()))
    assert [tuple(row.values()) for row in found] == [(a.strip(), b.strip()) for a, b in cells]


def test_a_cell_within_a_block_keeps_all_its_line_breaks(write):
    path = write("a.csv", 'a,b\r\n"x\r\ny","1\r2\n3"\r\n')
    assert rows(path) == [{"a": "x\r\ny", "b": "1\r2\n3"}]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_all_line_endings_are_read(write, ending):
    assert rows(write("a.csv", ending.join(["a,b", "1,2", ""]))) == [{"a": "1", "b": "2"}]


def test_the_last_line_needs_no_line_break_and_blank_lines_are_skipped(write):
    path = write("a.csv", "\n\na,b\n\n1,2\n\n3,4")
    assert rows(path) == [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16"])
def test_files_in_the_configured_encoding_are_read(write, encoding):
    path = write("a.csv", "größe,b\nüber,2\n", encoding=encoding)
    setting = "utf-8" if encoding == "utf-8-sig" else encoding
    assert header(path, encoding=setting) == ["größe", "b"]
    assert rows(path, encoding=setting) == [{"größe": "über", "b": "2"}]


def test_the_configured_delimiter_and_quote_are_used(write):
    path = write("a.csv", "a;b\n1,5;'x;y'\n")
    assert rows(path, delimiter=";", quote="'", decimal=",") == [{"a": "1,5", "b": "x;y"}]


def test_a_column_without_name_is_named_by_its_position(write):
    path = write("a.csv", ",a, \n1,2,3\n")
    assert header(path) == ["column_1", "a", "column_3"]
    assert rows(path) == [{"column_1": "1", "a": "2", "column_3": "3"}]


def test_column_names_may_contain_any_character(write):
    names = ["trip miles (km)", "a.b/c", "größe", "50%", 'so "called"', "two\nlines"]
    quoted = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    path = write("a.csv", f"{quoted}\n1,2,3,4,5,6\n")
    assert header(path) == names
    assert rows(path) == [dict(zip(names, "123456", strict=True))]


def test_an_unknown_encoding_is_refused_with_its_key(write):
    path = write("a.csv", "a,b\n1,2\n")
    with pytest.raises(ConfigError, match=r"data\.csv\.encoding: 'utf-99'"):
        header(path, encoding="utf-99")


def test_a_file_that_lost_a_column_was_changed(write):
    path = write("t.csv", "x\n1\n")
    with pytest.raises(DataError, match=r"t\.csv: the file was changed while it was read"):
        list(csv_file.iter_csv_file(path, DataConfig(path=(str(path),)), ["x", "gone"]))
