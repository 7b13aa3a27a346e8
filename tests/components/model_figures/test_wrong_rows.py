"""The rows with the greatest loss are shown with their cells."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tiny_served import make_predictions

from components.model_figures.losses import row_losses
from components.model_figures.wrong_rows import (
    describe_cell,
    describe_wrong_rows,
    find_wrong_rows,
)


def test_the_greatest_loss_comes_first() -> None:
    losses = np.array([0.0, 3.0, np.nan, 5.0, 3.0])
    assert find_wrong_rows(losses).tolist() == [3, 1, 4]
    assert len(find_wrong_rows(np.arange(100.0))) == 20
    assert find_wrong_rows(np.full(3, np.nan)).tolist() == []


def test_a_row_says_what_was_predicted() -> None:
    predictions = make_predictions("binary", [0, 1], [0.9, 0.2])
    losses = row_losses("binary", predictions.labels, predictions.candidate)
    cells = pa.table({"a": [b"x", None]})
    first, second = describe_wrong_rows(predictions, losses, np.array([0, 1]), cells)
    assert (first.row, first.label, first.predicted) == (0, "no", "yes")
    assert first.probability == pytest.approx(0.1)
    assert first.loss == pytest.approx(-np.log(0.1), rel=1e-5)
    assert (first.cells, second.cells) == ({"a": "x"}, {"a": "(missing)"})


def test_rows_of_other_tasks_are_named() -> None:
    many = make_predictions("multiclass", [2], [[0.7, 0.2, 0.1]])
    [row] = describe_wrong_rows(many, np.array([2.3]), np.array([0]), None)
    assert (row.label, row.predicted, row.cells) == ("<script>", "a", {})
    assert row.probability == pytest.approx(0.1)
    number = make_predictions("regression", [1e30], [2.5])
    [row] = describe_wrong_rows(number, np.array([1e30]), np.array([0]), None)
    assert (row.label, row.predicted, row.probability) == ("1e+30", "2.5", None)


@pytest.mark.parametrize(
    ("cell", "text"),
    [(None, "(missing)"), (float("nan"), "(missing)"), (3, "3"), (b"\xff<b>", "\ufffd<b>"),
     (float(np.float32(0.1)), "0.1"), (b"", "")],
)  # fmt: skip
def test_a_cell_is_short_text(cell: object, text: str) -> None:
    assert describe_cell(cell) == text


def test_a_long_cell_is_shortened() -> None:
    assert len(describe_cell(b"x" * 10_000)) < 150
