"""Cells that look like amounts."""

import pyarrow as pa
import pytest

from pipeline.onboarding.reading.amounts import are_amounts


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["1.234,50 EUR", "$3,000.75", "12 kg"], True),
        (["4.9 kg", "3.5", "few"], True),
        (["(1,234.50)", "(2.75)"], True),
        (["12 High St", "7 Low Road", "9 Elm Ave", "3 Oak Lane"], False),
        (["12345", "54321", "K1A 0B1"], False),
        (["10.0.0.1", "192.168.1.7"], False),
        (["2026-11-20", "2026-11-21"], False),
        (["red", "blue", "4.9 kg"], False),
        ([], False),
    ],
)
def test_amounts_are_numbers_with_marks_or_one_of_few_units(written, expected):
    assert are_amounts(pa.array(written * 20, pa.string())) is expected
