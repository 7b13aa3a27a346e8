"""How numbers are written, and whether the first row is data."""

import pytest

from pipeline.core.errors import ConfigError
from pipeline.onboarding.reading.number_format import guess_number_format, is_header_missing


def marks(*cells, delimiter=";"):
    numerals = guess_number_format([["a", "b"], *([c, "x"] for c in cells)], delimiter)
    return numerals.decimal.value, numerals.thousands.value


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("1.5", "2"), (".", "")),
        (("1,5", "2,25"), (",", "")),
        (("red", "blue"), (".", "")),
        (("1,234.50", "7.00"), (".", ",")),
        (("1.234,50", "7,00"), (",", ".")),
        (("1 234,50", "7,00"), (",", " ")),
        (("1\u00a0234,50", "7,00"), (",", " ")),
        (("1'234.50", "7.00"), (".", "'")),
        (("12,345,678", "9,876"), (".", ",")),
        (("12.345.678", "9.876"), (",", ".")),
        (("1.234,50", "7,00", "8,00", "9,00"), (",", ".")),
        (("12.10.2026", "13.10.2026"), (".", "")),
        (("192.168.100.101", "10.0.0.1"), (".", "")),
    ],
)
def test_decimal_mark_and_thousands_separator_are_found(cells, expected):
    assert marks(*cells) == expected


def test_rare_groups_behind_the_first_cells_are_found():
    cells = ["12,50 €"] * 300 + ["2.409,20 €"] * 2 + ["k.A."] * 30
    assert marks(*cells) == (",", ".")


def test_other_cells_decide_what_one_mark_before_three_digits_means():
    assert marks("1.234", "2.500") == (".", "")
    assert marks("1.234", "2.500", "870") == (",", ".")
    assert marks("1.234", "2.500", "1870") == (".", "")
    assert marks("1,234", "2,500") == (",", "")
    assert marks("1,234", "2,500", "870") == (".", ",")
    assert marks("1,234", "2,500", delimiter="\t") == (".", ",")
    assert marks("0,234", "2,500", delimiter="\t") == (",", "")
    assert marks("1\u00a0234", "2\u00a0500", "870") == (".", " ")
    assert marks("1 234", "2 500", "1" * 5000) == (".", " ")


def test_other_columns_decide_what_an_ambiguous_column_means():
    records = [["a", "b", "c"], *(["1,234", f"{i}.5", f"{i}.25"] for i in range(9))]
    assert guess_number_format(records, ";").decimal.value == "."
    records = [["a", "b"], *(["1.000", f"{i},5"] for i in range(9))]
    numerals = guess_number_format(records, ";")
    assert (numerals.decimal.value, numerals.thousands.value) == (",", ".")


@pytest.mark.parametrize("written", ["{:,.0f}", "${:,.2f}", "{:.1f} %", "-{:.0f}€"])
def test_numbers_with_units_and_groups_are_numeric(propose, signal, written):
    table = signal()
    table["x"] = [written.format(1000 * (5 + x)) for x in table["x"]]
    proposal = propose(table)
    assert proposal.config.features["x"].kind == "numeric"
    assert not proposal.warnings


@pytest.mark.parametrize("written", ["{:.2f}", "{:,.2f}"])
def test_quoted_decimal_commas_between_commas_are_read(propose, signal, written):
    table = signal()
    swapped = str.maketrans(",.", ".,")
    table["x"] = [written.format(3000 * x).translate(swapped) for x in table["x"]]
    config = propose(table, delimiter=",").config
    assert (config.data.csv.delimiter, config.data.csv.decimal) == (",", ",")
    assert config.features["x"].kind == "numeric"


def test_label_with_a_currency_is_regression(propose, signal):
    table = signal()
    table["price"] = [f"${1000 * (5 + x):,.2f}" for x in table["x"]]
    del table["y"], table["x"]
    config = propose(table, label="price").config
    assert config.label.task == "regression"
    assert (config.data.csv.thousands, config.data.csv.units) == (",", ("$",))


def test_units_that_differ_within_a_column_are_not_proposed(propose, signal):
    table = signal()
    table["price"] = [f"{'$€'[i % 2]}{5 + x:.3f}" for i, x in enumerate(table["x"])]
    proposal = propose(table)
    assert "price" not in proposal.config.features
    assert proposal.config.data.csv.units == ()
    (warning,) = [w for w in proposal.warnings if w.startswith("price: left out")]
    assert "such as '€" in warning or "such as '$" in warning
    assert "data.csv.units" in warning


def test_grouped_numbers_among_words_are_left_out(propose, signal):
    table = signal()
    table["price"] = [f"{abs(x) * 3000:,.0f}" for x in table["x"]]
    table["price"][::9] = [f"from {i}" for i in range(len(table["price"][::9]))]
    assert "price" not in propose(table).config.features


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_groups_at_the_end_of_a_sorted_table_are_found(propose, signal, to_csv, encoding):
    table = signal(30_000)
    order = sorted(range(30_000), key=lambda i: table["x"][i])
    table = {name: [values[i] for i in order] for name, values in table.items()}
    table["x"] = [f"{i // 28:,}" for i in range(30_000)]
    config = propose(to_csv(table).encode(encoding)).config
    assert (config.data.csv.thousands, config.features["x"].kind) == (",", "numeric")


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (["a,b", "1,2", "3,4"], False),
        (["5,b", "1,2", "3,4"], False),
        (["5,6", "1,2", "3,4"], True),
        (["5,red", *["1,red", "2,blue"] * 5], True),
        (["5,colour", *["1,red", "2,blue"] * 5], False),
        (["red,big", *["red,small", "blue,big"] * 5], True),
        (["name,word", *(f"n{i},w{i}" for i in range(20))], False),
        (["5,", "1,2", "3,4"], True),
        (["5,?", "1,2", "3,4"], True),
        (["a,b", "1,2,3", "3,4,5"], False),
        (["5,6"], False),
    ],
)
def test_first_row_of_data_means_a_missing_header(records, expected):
    assert is_header_missing([r.split(",") for r in records]) is expected


def test_columns_without_header_are_named_by_position(propose, signal, to_csv):
    rows = to_csv(signal()).split("\n", 1)[1]
    config = propose(rows, label="column_3").config
    assert config.data.csv.header is False
    assert set(config.features) == {"column_1", "column_2"}
    with pytest.raises(ConfigError, match="no header") as caught:
        propose(rows, label="y")
    assert "--label column_3" in caught.value.hint


def test_first_row_with_the_label_is_a_header(propose, signal, to_csv):
    table = signal()
    table = {"2019": table["x"], "2020": table["y"]}
    config = propose(table, label="2020").config
    assert config.data.csv.header is True
    assert list(config.features) == ["2019"]


def test_decimal_comma_is_found(propose, signal):
    table = signal()
    table["x"] = [str(x).replace(".", ",") for x in table["x"]]
    config = propose(table, delimiter=";").config
    assert config.data.csv.decimal == ","
    assert config.features["x"].kind == "numeric"


def test_numbers_with_impossible_groups_are_left_out(propose, signal):
    table = signal()
    table["x"] = [f"{x:.2f}".replace(".", ",") for x in table["x"]]
    table["price"] = [f"{1000 + i}.000,50" for i in range(400)]
    proposal = propose(table, delimiter=";")
    assert (proposal.config.data.csv.decimal, proposal.config.data.csv.thousands) == (",", "")
    assert "price" not in proposal.config.features
    (warning,) = [w for w in proposal.warnings if w.startswith("price: left out")]
    assert ".000,50'" in warning
    assert "data.csv.thousands" in warning
