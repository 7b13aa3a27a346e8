"""The share of missing values is that of all rows, as the gate counts it."""

import pytest

from components.data_figures.figures import overall_missing


def test_each_split_weighs_as_much_as_its_rows() -> None:
    rows = {"train": 80, "test": 20}
    assert overall_missing({"train": 0.5, "test": 1.0}, rows) == pytest.approx(0.6)
    # The served model's data has no rows in this run.
    assert overall_missing({"train": 0.5, "served": 1.0}, rows) == 0.5
    assert overall_missing({}, {}) == 0
