"""Delimiter and quote of CSV text, by trial."""

import pytest


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_delimiter_is_found(propose, signal, delimiter):
    csv = propose(signal(), delimiter=delimiter).config.data.csv
    assert (csv.delimiter, csv.quote, csv.decimal) == (delimiter, '"', ".")


def test_text_full_of_commas_does_not_hide_the_delimiter(propose, signal):
    table = signal()
    table["note"] = [
        f"well, well, {c}, and {x}" for x, c in zip(table["x"], table["c"], strict=True)
    ]
    assert propose(table, delimiter=";").config.data.csv.delimiter == ";"
    assert propose(table, delimiter=",").config.data.csv.delimiter == ","


def test_apostrophes_around_cells_are_quotes(propose, signal, to_csv):
    table = signal()
    table["c"] = [f"{c}, bright" for c in table["c"]]
    text = to_csv(table, quotechar="'", quoting=2)
    assert propose(text).config.data.csv.quote == "'"


def test_apostrophes_around_names_are_quotes(propose, signal, to_csv):
    text = to_csv(signal(), delimiter="\t").split("\n", 1)
    assert set(propose("'x'\t'c'\t'y'\n" + text[1]).config.features) == {"x", "c"}


def test_windows_line_ends_and_line_breaks_in_cells_are_read(propose, signal, to_csv):
    table = signal()
    table["note"] = [f'first "{c}"\nand second' for c in table["c"]]
    config = propose(to_csv(table).replace("\n", "\r\n")).config
    assert set(config.features) == {"x", "c", "note"}
