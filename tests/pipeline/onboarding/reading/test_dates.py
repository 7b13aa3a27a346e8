"""Cells that look like dates."""

import re

import pyarrow as pa
import pytest

from pipeline.onboarding.reading.dates import NAMED_MONTH, YEAR_LAST, is_written_as_date


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("2024-02-29", True),
        ("20240229", True),
        ("29.02.2024 14:40", True),
        ("2/29/24 2:40 PM", True),
        ("2024-02-29T14:40:00+01:00", True),
        ("29 Feb 2024", False),
        ("10.0.0.1", False),
        ("2024", False),
        ("", False),
    ],
)
def test_only_dates_that_a_feature_can_read_match(cell, expected):
    assert is_written_as_date(pa.array([cell])).to_pylist() == [expected]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("29 Feb 2024", True),
        ("Thu, 29 February 2024", True),
        ("2024-Feb-29", True),
        ("may 5", False),
    ],
)
def test_only_whole_dates_with_named_months_match(cell, expected):
    assert bool(re.match(NAMED_MONTH, cell)) is expected


def test_mark_between_the_first_two_parts_is_captured():
    assert re.match(YEAR_LAST, "29.02.2024")["mark"] == "."
