"""Formats and CSV dialects: what is found by looking at the bytes."""

import gzip
from pathlib import Path

import pandas as pd
import pytest

from pipeline.core.errors import ConfigError, DataError
from pipeline.onboarding import propose_config


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_delimiter(propose, signal, delimiter):
    csv = propose(signal(), delimiter=delimiter).config.data.csv
    assert (csv.delimiter, csv.quote, csv.decimal) == (delimiter, '"', ".")


def test_text_full_of_commas_does_not_mislead(propose, signal):
    table = signal()
    table["note"] = [
        f"well, well, {c}, and {x}" for x, c in zip(table["x"], table["c"], strict=True)
    ]
    assert propose(table, delimiter=";").config.data.csv.delimiter == ";"
    assert propose(table, delimiter=",").config.data.csv.delimiter == ","


def test_decimal_comma(propose, signal):
    table = signal()
    table["x"] = [str(x).replace(".", ",") for x in table["x"]]
    config = propose(table, delimiter=";").config
    assert config.data.csv.decimal == ","
    assert config.features["x"].kind == "numeric"


def test_numbers_grouped_wrongly_stay_text(propose, signal):
    table = signal()
    table["x"] = [f"{x:.2f}".replace(".", ",") for x in table["x"]]
    table["price"] = [f"{1000 + i}.000,50" for i in range(400)]
    proposal = propose(table, delimiter=";")
    assert (proposal.config.data.csv.decimal, proposal.config.data.csv.thousands) == (",", "")
    assert "price" not in proposal.config.features
    assert any(
        w.startswith("price: left out; write its numbers plainly") for w in proposal.warnings
    )


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
def test_encoding(propose, signal, to_csv, text, encoding, found):
    table = {text: signal()["x"], "y": signal()["y"]}
    config = propose(to_csv(table).encode(encoding)).config
    assert config.data.csv.encoding == found
    assert list(config.features) == [text]


def test_a_foreign_byte_in_the_last_row_decides_the_encoding(propose, signal, to_csv):
    table = signal(20_000)
    table["c"][-1] = "é"
    assert propose(to_csv(table).encode("latin-1")).config.data.csv.encoding == "cp1252"


def test_cells_in_apostrophes(propose, signal, to_csv):
    table = signal()
    table["c"] = [f"{c}, bright" for c in table["c"]]
    text = to_csv(table, quotechar="'", quoting=2)
    assert propose(text).config.data.csv.quote == "'"


def test_names_in_apostrophes(propose, signal, to_csv):
    text = to_csv(signal(), delimiter="\t").split("\n", 1)
    assert set(propose("'x'\t'c'\t'y'\n" + text[1]).config.features) == {"x", "c"}


def test_windows_line_ends_and_line_breaks_in_cells(propose, signal, to_csv):
    table = signal()
    table["note"] = [f'first "{c}"\nand second' for c in table["c"]]
    config = propose(to_csv(table).replace("\n", "\r\n")).config
    assert set(config.features) == {"x", "c", "note"}


def test_gzip(propose, signal, to_csv):
    packed = gzip.compress(to_csv(signal()).encode())
    config = propose(packed, file="trees.csv.gz").config
    assert (config.name, config.data.source, config.data.path) == (
        "trees",
        "csv",
        ("trees.csv.gz",),
    )


def test_several_files_and_patterns(tmp_path, monkeypatch, signal, to_csv):
    monkeypatch.chdir(tmp_path)
    for year in (2020, 2021):
        Path(f"trips-{year}.csv").write_text(to_csv(signal(seed=year)))
    proposal = propose_config(["trips-*.csv"], "y", Path("new/config.yaml"))
    assert proposal.config.data.path == ("trips-*.csv",)
    assert "800 rows" in Path("new/config.yaml").read_text()
    both = propose_config(["trips-2020.csv", "trips-2021.csv"], "y", Path("two.yaml"))
    assert both.config.data.path == ("trips-2020.csv", "trips-2021.csv")


def test_parquet_of_many_types(tmp_path, monkeypatch, signal):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(signal())
    frame["flag"] = frame["x"] > frame["x"].mean() + frame["y"] - 0.5
    frame["when"] = pd.date_range("2020-01-01", periods=len(frame), freq="7H")
    frame["code"] = (frame.index % 5).astype("float")
    frame.loc[::9, "code"] = None
    frame["c"] = frame["c"].astype("category")
    frame["y"] = frame["y"].astype("float")
    frame.to_parquet("trees.pq", index=False)
    proposal = propose_config(["trees.pq"], "y", Path("config.yaml"))
    kinds = {name: feature.kind for name, feature in proposal.config.features.items()}
    assert proposal.config.data.source == "parquet"
    assert kinds == {
        "x": "numeric", "c": "categorical", "flag": "boolean",
        "when": "timestamp", "code": "categorical",
    }  # fmt: skip
    assert proposal.config.label.classes == ("0", "1")


def test_infinity_in_parquet_is_read_as_missing(tmp_path, monkeypatch, signal):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(signal())
    frame.loc[::7, "x"] = float("inf")
    frame.to_parquet("trees.parquet", index=False)
    config = propose_config(["trees.parquet"], "y", Path("config.yaml")).config
    assert (config.features["x"].kind, config.data.types["x"]) == ("numeric", "string")


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        (b"", DataError, "empty"),
        (b"\n\n", DataError, "empty"),
        (b"x,y\n", DataError, "no row below the header"),
        (b"x,x,y\n1,2,3\n", DataError, "both named 'x'"),
        (b"x,y\n1,2\n1,2,3\n", DataError, "trees.csv:3"),
        (b"PK\x03\x04rest", ConfigError, "spreadsheet"),
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
def test_what_is_no_table(propose, content, error, words):
    with pytest.raises(error, match=words):
        propose(content)


@pytest.mark.parametrize(
    "name", ['{"x"', "<x", "[x", "[0, 1)", "% of all", "@x", "{x}", "[1] x", "<1 year", "1:2 x"]
)
def test_a_first_name_with_marks_of_other_formats_is_a_table(propose, signal, name):
    table = signal()
    assert list(propose({name: table["x"], "y": table["y"]}).config.features) == [name]


def test_no_such_file(tmp_path):
    with pytest.raises(ConfigError, match="no file matches"):
        propose_config([str(tmp_path / "none.csv")], "y", tmp_path / "config.yaml")
