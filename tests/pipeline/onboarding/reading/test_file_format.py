"""Format and encoding of a file, by its bytes."""

import pytest

from pipeline.core.errors import ConfigError, DataError


@pytest.mark.parametrize(
    ("text", "encoding", "found"),
    [
        ("größe", "utf-8", "utf-8"),
        ("größe", "utf-8-sig", "utf-8"),
        ("größe", "cp1252", "cp1252"),
        ("5 €", "cp1252", "cp1252"),
        ("gr\x81ße", "latin-1", "latin-1"),
        ("größe", "utf-16", "utf-16"),
    ],
)
def test_encoding_is_found(propose, signal, to_csv, text, encoding, found):
    table = {text: signal()["x"], "y": signal()["y"]}
    config = propose(to_csv(table).encode(encoding)).config
    assert config.data.csv.encoding == found
    assert list(config.features) == [text]


def test_single_byte_in_the_last_row_decides_the_encoding(propose, signal, to_csv):
    table = signal(20_000)
    table["c"][-1] = "é"
    assert propose(to_csv(table).encode("latin-1")).config.data.csv.encoding == "cp1252"


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        (b"", DataError, "empty"),
        (b"\n\n", DataError, "empty"),
        (b"x,y\n", DataError, "no row below the header"),
        (b"x,x,y\n1,2,3\n", DataError, "both named 'x'"),
        (b"x,y\n1,2\n1,2,3\n", DataError, "trees.csv:3"),
        (b"PK\x03\x04rest", ConfigError, "compressed with zip"),
        (b"\x00\x01\x02", ConfigError, "neither text nor Parquet"),
        (b'[{"x": 1, "y": 2}]', ConfigError, "JSON"),
        (b'{"x": 1, "y": 2}\n{"x": 3, "y": 4}\n', ConfigError, "JSON"),
        (b'{\n  "rows": [\n    {"x": 1}\n  ]\n}\n', ConfigError, "JSON"),
        (b'[\n  {\n    "x": 1\n  }\n]\n', ConfigError, "JSON"),
        (b"[[1, 2], [3, 4]]", ConfigError, "JSON"),
        (b"[\n  1,\n  2\n]\n", ConfigError, "JSON"),
        (b"<table>\n<tr><td>1</td></tr>\n</table>", ConfigError, "HTML"),
        (b"<!doctype html>\n", ConfigError, "HTML"),
        (b"% iris\n@RELATION iris\n@ATTRIBUTE x REAL\n", ConfigError, "ARFF"),
        (b"1 1:0.5 3:0.25\n0 2:1\n", ConfigError, "LibSVM"),
        (b"%PDF-1.7\n", ConfigError, "PDF"),
        (b"mpg  weight   y\n18.0  3504.   1\n 15    3693.   0\n", ConfigError, "runs of blanks"),
        (b"mpg\tweight y\n18.0   3504.   1\n 15    3693.   0\n", ConfigError, "runs of blanks"),
    ],
)
def test_file_that_is_no_table_is_refused(propose, content, error, words):
    with pytest.raises(error, match=words):
        propose(content)


@pytest.mark.parametrize(
    "name", ['{"x"', "<x", "[x", "[0, 1)", "% of all", "@x", "{x}", "[1] x", "<1 year", "1:2 x"]
)
def test_first_name_with_marks_of_other_formats_is_read_as_csv(propose, signal, name):
    table = signal()
    assert list(propose({name: table["x"], "y": table["y"]}).config.features) == [name]
