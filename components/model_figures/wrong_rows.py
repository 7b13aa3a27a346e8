"""Finds the rows with the greatest loss, and shows their cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from components.model_figures.figures import WrongRow
from components.model_figures.losses import probabilities_of_labels
from components.predictions.table import Predictions
from components.predictions.terms import THRESHOLD, Array, describe_number
from pipeline.core.text import shorten

MISSING = "(missing)"
_MOST_ROWS = 20
_LONGEST = 120
"""Characters of a cell: texts of ten thousand characters would fill the page."""


def find_wrong_rows(losses: Array) -> Array:
    """Returns the indices of the rows with the greatest loss, the greatest first.

    Rows whose loss is NaN or zero are left out.
    """
    wrong = np.flatnonzero(losses > 0)
    order = np.argsort(-losses[wrong], kind="stable")
    return wrong[order][:_MOST_ROWS]


def describe_wrong_rows(
    predictions: Predictions, losses: Array, indices: Array, cells: pa.Table | None
) -> tuple[WrongRow, ...]:
    """Returns the rows at `indices` into the arrays of `predictions`.

    Args:
      cells: the raw cells of these rows, in the same order; None for rows without cells.
    """
    rows = cells.to_pylist() if cells is not None else [{}] * len(indices)
    return tuple(
        _describe_row(predictions, losses, int(index), row)
        for index, row in zip(indices, rows, strict=True)
    )


def _describe_row(
    predictions: Predictions, losses: Array, index: int, cells: dict[str, Any]
) -> WrongRow:
    label, predicted = predictions.labels[index], predictions.candidate[index]
    task, classes = predictions.task, predictions.classes
    probability = None
    if task != "regression":
        chosen = slice(index, index + 1)
        probability = float(
            probabilities_of_labels(
                task, predictions.labels[chosen], predictions.candidate[chosen]
            )[0]
        )
    return WrongRow(
        row=int(predictions.rows[index]),
        label=describe_number(label) if task == "regression" else classes[label],
        predicted=_name_prediction(task, predicted, classes),
        probability=probability,
        loss=float(losses[index]),
        cells={name: describe_cell(cell) for name, cell in cells.items()},
    )


def _name_prediction(task: str, predicted: Any, classes: Sequence[str]) -> str:
    if task == "regression":
        return describe_number(predicted)
    return classes[int(predicted >= THRESHOLD) if task == "binary" else int(predicted.argmax())]


def describe_cell(cell: Any) -> str:
    """Returns a raw cell as short text: UTF-8 bytes, an int, a float32 as float, or None."""
    if cell is None or cell != cell:
        return MISSING
    if isinstance(cell, bytes):
        return shorten(cell.decode("utf-8", "replace"), _LONGEST)
    return str(np.float32(cell)) if isinstance(cell, float) else str(cell)
