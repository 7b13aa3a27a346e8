"""A file that is no table is refused with the file and the line."""

import csv
import re
import tracemalloc
from pathlib import Path

import pytest

from components.tables import csv_file
from components.tables.readers import iter_blocks, iter_text_blocks
from pipeline.config import CsvConfig, DataConfig
from pipeline.config.limits import LimitsConfig
from pipeline.core.errors import ConfigError, DataError, PipelineError

HEAD = "a,b,c\n1,2,3\n"


def refusal(path: Path, **settings: object) -> PipelineError:
    with pytest.raises(PipelineError) as caught:
        list(iter_text_blocks([path], CsvConfig(**settings)))
    return caught.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", r"t\.csv: the file is empty"),
        ("\n\n", r"t\.csv: the file is empty"),
        (HEAD + "4,5\n", r"t\.csv:3: expected 3 cells, found 2"),
        (HEAD + "4,5,6,7\n", r"t\.csv:3: expected 3 cells, found 4"),
        (HEAD + '"x\ny",5,6\n\n7\n', r"t\.csv:6: expected 3 cells, found 1"),
        ("a,b,a\n1,2,3\n", r"t\.csv:1: columns 1 and 3 are both named 'a'"),
        (",column_1\n1,2\n", r"t\.csv:1: columns 1 and 2 are both named 'column_1'"),
        (HEAD + '4,5,"6\n7,8,9\n', r"t\.csv:3: a quote is opened in this row and never closed"),
        (HEAD + '4,5,"6\n7,8,9', r"t\.csv:3: a quote is opened in this row and never closed"),
        (HEAD + '4,"5,6\n7,8,9\n', r"t\.csv:3: a quote is opened in this row and never closed"),
        (HEAD.encode() + b"4,\xff,6\n", r"t\.csv:3: not valid utf-8"),
        (b"a,\xff,c\n1,2,3\n", r"t\.csv:1: not valid utf-8"),
        (HEAD.encode("utf-16-le"), r"t\.csv:1: holds a NUL byte"),
        (HEAD + "4,\0,6\n", r"t\.csv:3: holds a NUL byte"),
        ('"' + HEAD, r"t\.csv:1: a quote is opened in this row and never closed"),
    ],
)
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_the_error_names_the_file_and_the_line(write, name, text, expected):
    error = refusal(write(name, text))
    assert isinstance(error, DataError)
    assert re.search(expected.replace(r"t\.csv", re.escape(name)), str(error)), str(error)


def test_a_last_cell_of_two_lines_is_not_taken_for_an_open_quote(write):
    path = write("t.csv", HEAD + '4,5,"6\n7"\n')
    assert sum(block.num_rows for block in iter_text_blocks([path], CsvConfig())) == 2


def test_the_error_names_the_line_in_a_file_without_header(write):
    error = refusal(write("t.csv", "1,2,3\n4,5\n"), header=False)
    assert "t.csv:2: expected 3 cells, found 2" in str(error)


def test_the_error_names_a_line_far_below_the_first_block(write, monkeypatch):
    monkeypatch.setattr(csv_file, "BLOCK_BYTES", 256)
    lines = ["a,b,c"] + ["1,2,3"] * 1000
    lines[777] = "1,2"
    assert f"t.csv:{777 + 1}:" in str(refusal(write("t.csv", "\n".join(lines))))


@pytest.fixture
def short_cells():
    limit = csv.field_size_limit(256)
    yield
    csv.field_size_limit(limit)


@pytest.mark.parametrize(
    ("text", "line"), [(HEAD + '4,5,"6\n' + "7,8,9\n" * 1000, 3), ('"' + HEAD * 1000, 1)]
)
def test_an_open_quote_does_not_swallow_a_large_file(write, monkeypatch, short_cells, text, line):
    monkeypatch.setattr(csv_file, "BLOCK_BYTES", 256)
    assert f"t.csv:{line}: a cell is longer than 64 MB, or a quote" in str(
        refusal(write("t.csv", text))
    )


def test_a_row_longer_than_a_block_is_refused(write, monkeypatch):
    monkeypatch.setattr(csv_file, "BLOCK_BYTES", 256)
    assert "t.csv:3: the row has 1,001 characters" in str(
        refusal(write("t.csv", HEAD + f"4,{'5' * 999},6\n"))
    )


def test_text_that_is_not_in_the_configured_encoding_is_refused(write):
    error = refusal(write("t.csv", HEAD.encode("utf-16") + b"\x00\xd8\n"), encoding="utf-16")
    assert "not valid utf-16" in str(error)
    assert "data.csv.encoding" in error.hint


@pytest.mark.parametrize("content", [b"no gzip", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b"])
def test_a_damaged_gzip_file_is_refused(tmp_path, content):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(content)
    error = refusal(path)
    assert isinstance(error, DataError)
    assert "t.csv.gz: not a whole gzip file" in str(error)


def test_a_truncated_gzip_file_is_refused(write):
    path = write("t.csv.gz", HEAD + "".join(f"{i},{i * 7919},{i**3}\n" for i in range(100_000)))
    path.write_bytes(path.read_bytes()[:-1000])
    assert "t.csv.gz: not a whole gzip file" in str(refusal(path))


def test_a_missing_file_is_a_configuration_error(tmp_path):
    error = refusal(tmp_path / "no.csv")
    assert isinstance(error, ConfigError)
    assert "data.path: " in str(error)


def test_a_row_that_is_too_long_is_named_with_the_limit_that_allows_it(write):
    path = write("t.csv", HEAD + f"4,{'z' * (9 << 20)},6\n")
    error = refusal(path)
    assert "t.csv:3: the row has 9,437,186 characters or more" in str(error)
    assert "--set data.limits.row_bytes=" in error.hint
    data = DataConfig(path=(str(path),), limits=LimitsConfig(row_bytes=10 << 20))
    assert sum(block.batch.num_rows for block in iter_blocks([path], data)) == 2


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_a_first_line_without_end_is_not_read_to_its_end(write, name, monkeypatch):
    monkeypatch.setattr(csv_file, "BLOCK_BYTES", 1 << 18)
    path = write(name, "a" * (8 << 20))
    tracemalloc.start()
    error = refusal(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "t.csv" in str(error)
    assert "the row has 1,048,576 characters or more" in str(error)
    assert peak < 8 << 20
