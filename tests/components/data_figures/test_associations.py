"""Associations come from a sample that is spread over the split."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from components.data_figures.associations import MOST_ROWS, choose_rows, measure_with_label
from components.run_figures.notes import Notes


@pytest.mark.parametrize(("rows", "columns"), [(0, 3), (1, 3), (4999, 500), (50_000, 20)])
def test_a_small_table_is_read_whole(rows: int, columns: int) -> None:
    assert list(choose_rows(rows, columns)) == list(range(rows))


@pytest.mark.parametrize("columns", [1, 20, 500, 5000])
def test_a_sample_is_ascending_and_spread_over_the_split(columns: int) -> None:
    rows = choose_rows(1_000_000, columns)
    assert 4000 < len(rows) <= MOST_ROWS
    assert (np.diff(rows) > 0).all()
    assert rows[0] == 0
    assert 900_000 < rows[-1] < 1_000_000


def test_of_a_wide_table_few_row_groups_are_read() -> None:
    assert len(np.unique(choose_rows(10_000_000, 500) >> 15)) <= 8


def test_the_matrix_has_the_label_first_and_is_symmetric() -> None:
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 500)
    table = pa.table(
        {
            "y": y.astype(str),
            "near": y + random.normal(size=500),
            "far": random.normal(size=500),
            "constant": np.ones(500),
        }
    )
    types = {"near": "number", "far": "number", "constant": "number", "y": "category"}
    with_label, found = measure_with_label(table, "y", types, notes := Notes())
    assert notes.sentences == ()
    assert found.columns[:2] == ("y", "near")
    assert found.rows == 500
    matrix = np.array(found.matrix, dtype=float)
    assert np.allclose(matrix, matrix.T, equal_nan=True)
    assert matrix[0, 1] == with_label["near"]
    assert with_label["constant"] is None
    assert matrix[1, 1] == pytest.approx(1)


def test_a_column_that_cannot_be_encoded_is_a_note() -> None:
    table = pa.table({"y": ["a", "b"] * 5, "bad": ["x"] * 10})
    with_label, found = measure_with_label(
        table, "y", {"y": "category", "bad": "number"}, notes := Notes()
    )
    assert with_label == {}
    assert found.columns == ("y",)
    assert "the associations of 'bad' could not be made" in notes.sentences[0]
