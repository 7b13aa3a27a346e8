"""Numbers with thousands marks and units become columns of numbers."""

import pyarrow as pa
import pytest
from pydantic import ValidationError

from components.tables.casting import BadCellError, cast_to_configured, find_narrowest_type
from pipeline.config import CsvConfig

US = CsvConfig(thousands=",", units=("$", "%"))
GERMAN = CsvConfig(delimiter=";", decimal=",", thousands=".", units=("€",))
FRENCH = CsvConfig(delimiter=";", decimal=",", thousands=" ")
SWISS = CsvConfig(thousands="'")


@pytest.mark.parametrize(
    ("cell", "csv", "number"),
    [
        ("1,234", US, 1234),
        ("1,234,567.5", US, 1234567.5),
        ("-1,234", US, -1234),
        ("999.5", US, 999.5),
        ("$5", US, 5),
        ("$ 1,234.50", US, 1234.5),
        ("-$5", US, -5),
        ("$-5", US, -5),
        ("12 %", US, 12),
        (" 12% ", US, 12),
        ("1.234,5", GERMAN, 1234.5),
        ("1.234", GERMAN, 1234),
        ("0,5", GERMAN, 0.5),
        ("1.234,50 €", GERMAN, 1234.5),
        ("1 234,5", FRENCH, 1234.5),
        ("1\u00a0234\u202f567", FRENCH, 1234567),
        ("1'234.5", SWISS, 1234.5),
        (None, US, None),
    ],
)
def test_numbers_with_units_and_thousands_marks_are_read(cell, csv, number):
    assert cast_to_configured(pa.array([cell], pa.string()), "float", csv).to_pylist() == [number]
    assert find_narrowest_type(pa.array([cell], pa.string()), csv) != "string"


@pytest.mark.parametrize(
    ("cell", "csv"),
    [
        ("1,23", US),
        ("1,2345", US),
        ("0,123", US),
        ("12,34,567", US),
        ("1,234", CsvConfig()),
        ("5 €", US),
        ("$", US),
        ("5 $ 6", US),
        ("1.5", GERMAN),
        ("12.10.2026", GERMAN),
        ("1 23", FRENCH),
    ],
)
def test_a_number_that_breaks_the_rules_stays_text(cell, csv):
    assert find_narrowest_type(pa.array([cell]), csv) == "string"
    assert cast_to_configured(pa.array([cell]), "string", csv).to_pylist() == [cell]
    with pytest.raises(BadCellError):
        cast_to_configured(pa.array([cell]), "float", csv)


def test_codes_with_leading_zeros_stay_text():
    assert find_narrowest_type(pa.array(["007", "1,234"]), US) == "string"


@pytest.mark.parametrize("settings", [{"thousands": "."}, {"units": ("",)}, {"units": ("5",)}])
def test_contradictory_marks_are_refused(settings):
    with pytest.raises(ValidationError):
        CsvConfig(**settings)
