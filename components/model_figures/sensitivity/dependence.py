"""Measures how the predictions change with one column (partial dependence, Friedman 2001)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from components.model_figures.figures import Dependence
from components.model_figures.sensitivity.grid import choose_grid
from components.model_figures.sensitivity.served_function import Change, ServedFunction, Values
from components.model_figures.sensitivity.time_parts import choose_part_grid
from components.predictions.terms import Array

MOST_COLUMNS = 10
_MOST_ROWS = 1_000
_FEWEST_ROWS = 50
_MOST_CELLS = 5_000_000
"""Cells to predict: about a second on one core."""
_POINTS = 20
_LOW, _HIGH = 0.1, 0.9


def choose_dependence_rows(width: int, available: int) -> int:
    """Returns on how many rows the dependence is measured, for rows of `width` cells."""
    affordable = _MOST_CELLS // max(width * _POINTS * MOST_COLUMNS, 1)
    return min(available, _MOST_ROWS, max(affordable, _FEWEST_ROWS))


def measure_dependence(
    function: ServedFunction,
    values: Values,
    column: str,
    kind: str,
    time_format: str,
    outputs: Mapping[str, int | None],
) -> Dependence:
    """Returns mean and deciles of the predictions where all rows have one value of the column.

    Args:
      function: the model.
      values: the rows.
      column: the column that changes.
      kind: the feature kind of the column.
      time_format: the format of a timestamp; empty for other kinds.
      outputs: what is shown, by name: the index of a class of a multiclass model, or None.
    """
    grid = choose_grid(values[column], kind, time_format)
    rows = len(values[column])
    changes = [(column, np.full(rows, value, values[column].dtype)) for value in grid.values]
    found = _predict(function, values, changes, outputs)
    return _describe(column, grid.texts, grid.positions, found)


def measure_time_dependence(
    function: ServedFunction,
    values: Values,
    column: str,
    time_format: str,
    parts: Sequence[str],
    outputs: Mapping[str, int | None],
) -> tuple[Dependence, ...]:
    """Returns the dependence on each part of a timestamp that has several values in the rows.

    Each row keeps the other parts of its time. The arguments are those of `measure_dependence`.
    """
    grids = {part: choose_part_grid(values[column], time_format, part) for part in parts}
    measured = []
    for part, grid in grids.items():
        if grid is not None:
            changes = [(column, cells) for cells in grid.cells]
            found = _predict(function, values, changes, outputs)
            measured.append(_describe(column, grid.texts, grid.positions, found, part))
    return tuple(measured)


def _predict(
    function: ServedFunction,
    values: Values,
    changes: Sequence[Change],
    outputs: Mapping[str, int | None],
) -> dict[str, Array]:
    """Returns the predictions of all rows by output, each [changes, n]."""
    if not changes:
        rows = len(next(iter(values.values())))
        return dict.fromkeys(outputs, np.empty((0, rows)))
    found = function.predict_changes(values, changes)
    return {n: found if index is None else found[..., index] for n, index in outputs.items()}


def _describe(
    column: str,
    texts: tuple[str, ...],
    positions: tuple[float, ...] | None,
    by_output: Mapping[str, Array],
    part: str | None = None,
) -> Dependence:
    return Dependence(
        column=column,
        values=texts,
        positions=positions,
        part=part,
        means={
            name: _to_numbers(p.mean(axis=1, dtype=np.float64)) for name, p in by_output.items()
        },
        lows={name: _to_numbers(np.quantile(p, _LOW, axis=1)) for name, p in by_output.items()},
        highs={name: _to_numbers(np.quantile(p, _HIGH, axis=1)) for name, p in by_output.items()},
    )


def choose_outputs(
    task: str, classes: Sequence[str], labels: Array, most: int = 5
) -> dict[str, int | None]:
    """Returns what is shown: the positive class, the most frequent classes, or the prediction.

    Args:
      labels: indices of the classes [n]; only read if multiclass.
    """
    if task == "regression":
        return {"prediction": None}
    if task == "binary":
        return {classes[1]: None}
    counts = np.bincount(labels[labels >= 0], minlength=len(classes))
    return {classes[i]: int(i) for i in np.argsort(-counts, kind="stable")[:most]}


def _to_numbers(values: Array) -> tuple[float, ...]:
    if not np.isfinite(values).all():
        raise ValueError("the model's prediction is not finite")
    return tuple(values.tolist())
