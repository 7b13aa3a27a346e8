"""`init` and `run`, without edits, on tables with cells as people and spreadsheets write them."""

from collections import Counter

import numpy as np
import pytest
from hostile_run import HostileRun, init_and_run
from hostile_tables import american_sales, flowers, german_invoices

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture(scope="module")
def invoices(tmp_path_factory: pytest.TempPathFactory) -> HostileRun:
    return init_and_run(german_invoices(), tmp_path_factory.mktemp("invoices"))


@pytest.fixture(scope="module")
def sales(tmp_path_factory: pytest.TempPathFactory) -> HostileRun:
    return init_and_run(american_sales(), tmp_path_factory.mktemp("sales"))


@pytest.fixture(scope="module")
def blooms(tmp_path_factory: pytest.TempPathFactory) -> HostileRun:
    return init_and_run(flowers(), tmp_path_factory.mktemp("flowers"))


def labelled(run: HostileRun, column: str) -> list[object]:
    """Returns the true values of a column in the rows that have a label."""
    truth = run.table.truth
    return [v for v, y in zip(truth[column], truth[run.table.label], strict=True) if y is not None]


def assert_same_numbers(run: HostileRun, column: str) -> None:
    found = np.sort([v for v in run.column(column) if v is not None])
    assert found == pytest.approx(np.sort([v for v in labelled(run, column) if v is not None]))


def test_a_byte_order_mark_is_no_part_of_the_first_name(invoices: HostileRun) -> None:
    assert "Betrag (brutto)" in invoices.config.features


def test_decimal_commas_thousands_separators_and_currency_signs_are_read(
    invoices: HostileRun,
) -> None:
    csv = invoices.config.data.csv
    assert (csv.delimiter, csv.decimal, csv.thousands, csv.units) == (";", ",", ".", ("€",))
    assert_same_numbers(invoices, "Betrag (brutto)")
    # This column holds nearly all information about the label.
    assert invoices.metrics["auc"] > 0.85


def test_cells_keep_line_breaks_quotes_and_delimiters(invoices: HostileRun) -> None:
    assert Counter(invoices.column("Notiz")) == Counter(labelled(invoices, "Notiz"))


def test_leading_blanks_make_no_further_categories(invoices: HostileRun) -> None:
    assert Counter(invoices.column("Region")) == Counter(labelled(invoices, "Region"))


@pytest.mark.parametrize("column", ["Stück", "Note"])
def test_null_na_question_marks_and_empty_cells_are_missing(
    invoices: HostileRun, column: str
) -> None:
    assert Counter(invoices.column(column)) == Counter(labelled(invoices, column))


def test_rows_without_a_label_are_left_out(invoices: HostileRun) -> None:
    assert invoices.config.label.classes == ("nein", "ja")
    assert Counter(invoices.column("bezahlt")) == Counter(labelled(invoices, "bezahlt"))


@pytest.mark.parametrize("column", ["Units sold (total)", "column_2", "Discount, in %", "revenue"])
def test_quoted_numbers_with_commas_currency_and_percent_are_read(
    sales: HostileRun, column: str
) -> None:
    assert_same_numbers(sales, column)


def test_column_names_with_spaces_parentheses_or_no_text_are_kept(sales: HostileRun) -> None:
    assert {"Units sold (total)", "Discount, in %", "column_2"} <= set(sales.config.features)


def test_the_format_of_each_date_column_is_found(sales: HostileRun) -> None:
    formats = {
        name: feature.format
        for name, feature in sales.config.features.items()
        if feature.kind == "timestamp"
    }
    assert formats == {
        "ordered": "iso", "paid at": "month_first", "shipped": "day_first", "booked": "iso",
    }  # fmt: skip
    assert "due: left out, dates with names of months" in sales.proposed.output
    assert "seen: left out, dates in several formats" in sales.proposed.output


def test_a_long_tailed_label_with_a_currency_sign_is_learned(sales: HostileRun) -> None:
    revenue = np.array(sales.table.truth["revenue"])
    assert sales.config.label.task == "regression"
    assert sales.metrics["mae"] < 0.5 * np.abs(revenue - revenue.mean()).mean()


def test_integers_among_floats_and_quoted_numbers_are_read(blooms: HostileRun) -> None:
    assert blooms.config.data.csv.quote == "'"
    assert_same_numbers(blooms, "petal length, cm")
    assert_same_numbers(blooms, "leaves")
    assert blooms.metrics["accuracy"] > 0.85


def test_a_class_of_five_rows_is_in_every_split(blooms: HostileRun) -> None:
    assert "rara avis" in blooms.config.label.classes
    for split in blooms.examples.values():
        assert set(split["species"]) == {"rara avis", "setosa", "virginica"}
    assert "'rara avis' (5)" in blooms.proposed.output


def test_a_label_may_have_marks_of_missing_values(blooms: HostileRun) -> None:
    assert Counter(blooms.column("species")) == Counter(labelled(blooms, "species"))
