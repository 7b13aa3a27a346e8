"""Columns that order the rows by time."""

import numpy as np
import pytest

from pipeline.onboarding.reading.times import read_times


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-03-01", "2024-01-31", None, "2024-02-10"],
        ["03/01/2024", "01/31/2024", None, "02/10/2024"],
        ["1.3.2024", "31.1.2024", None, "10.2.2024"],
        ["1709251200", "1706659200", None, "1707523200"],
        ["2024.5", "2021", None, "2022"],
    ],
)
def test_dates_and_numbers_order_the_rows(to_columns, cells):
    times = read_times(to_columns({"t": cells})["t"])
    assert np.isnan(times[2])
    assert times[1] < times[3] < times[0]


@pytest.mark.parametrize("cells", [["2024-01-01", "soon", "2024-01-03"], ["1", "2", "2"]])
def test_other_texts_and_two_times_order_nothing(to_columns, cells):
    assert read_times(to_columns({"t": cells})["t"]) is None
