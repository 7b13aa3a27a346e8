"""The unit beside the numbers of a column."""

import pytest

from pipeline.config import CsvConfig
from pipeline.onboarding.reading.number_format import guess_number_format
from pipeline.onboarding.reading.units import find_unit


def units_of(*columns):
    """Returns the units that are proposed for columns of cells."""
    records = [[str(i) for i in range(len(columns))], *map(list, zip(*columns, strict=True))]
    return guess_number_format(records, ";").units.value


@pytest.mark.parametrize(
    ("written", "unit"),
    [
        ("{:.1f} kg", "kg"),
        ("{:.1f}kg", "kg"),
        ("{:.0f} km/h", "km/h"),
        ("{:.1f} °C", "°C"),
        ("{:.1f} m²", "m²"),
        ("{:.0f} sq ft", "sq ft"),
        ("{:.0f} €/m²", "€/m²"),
        ("{:.2f}\u00a0EUR", "EUR"),
        ("EUR {:.2f}", "EUR"),
        ("US${:.2f}", "US$"),
        ("-{:.2f} ₽", "₽"),
        ("{:.0f} лет", "лет"),
    ],
)
@pytest.mark.parametrize("every", [1, 2, 10])
def test_any_unit_is_found_also_if_only_some_cells_have_it(written, unit, every):
    plain = "-{:.1f}" if written.startswith("-") else "{:.1f}"
    cells = [(plain if i % every else written).format(20 + i / 7) for i in range(200)]
    assert units_of(cells) == (unit,)


def test_a_rare_unit_among_amounts_with_groups_and_markers_is_found():
    cells = [f"{700 + 13.7 * i:,.2f}" for i in range(200)]
    cells = [f"{c} EUR" if i % 13 == 0 else c for i, c in enumerate(cells)]
    assert units_of([("-", "NA", c)[min(i % 4, 2)] for i, c in enumerate(cells)]) == ("EUR",)


def test_columns_may_have_different_units():
    weights, prices = [f"{i} kg" for i in range(20)], [f"{i} EUR" for i in range(20)]
    assert units_of(weights, prices) == ("kg", "EUR")


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param([f"{i} {'kg' if i % 9 else 'lb'}" for i in range(200)], id="two units"),
        pytest.param([f"{i * 3}" if i % 2 else f"{i}a" for i in range(200)], id="house numbers"),
        pytest.param([f"Q {i}" for i in range(200)], id="a letter before a number"),
        pytest.param([f"grade {i}" for i in range(200)], id="a word before a number"),
        pytest.param([f"A{i}" for i in range(200)], id="codes"),
        pytest.param([f"20.11.{1900 + i} UTC" for i in range(100)], id="dates with a zone"),
        pytest.param([f"{i} of all the goods" for i in range(200)], id="remarks"),
        pytest.param([f"{i} kg" if i == 7 else f"{i}.5" for i in range(200)], id="one cell"),
    ],
)
def test_what_may_be_no_unit_is_not_proposed(cells):
    assert units_of(cells) == ()


@pytest.mark.parametrize(("small", "large"), [("{:.1f}k", "{:.0f}"), ("{:.3f}", "{:.0f} %")])
def test_a_unit_that_means_another_size_than_the_bare_numbers_is_not_proposed(small, large):
    cells = [small.format(0.2 + i / 300) if i % 2 else large.format(100 + i) for i in range(200)]
    assert units_of(cells) == ()


def test_a_unit_that_one_column_refutes_is_not_proposed_for_another():
    thousands = [f"{1 + i / 90:.1f} k" if i % 2 else f"{500 + i}" for i in range(200)]
    assert units_of([f"{i} k" for i in range(200)], thousands) == ()


def test_a_proposed_unit_can_be_configured():
    cells = find_unit([f"{i} m³" for i in range(20)])
    assert CsvConfig(units=(cells.unit,)).units == ("m³",)
