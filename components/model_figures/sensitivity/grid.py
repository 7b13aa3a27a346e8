"""Chooses the values of a column at which the model is asked."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from components.model_figures.wrong_rows import describe_cell
from components.predictions.terms import Array
from pipeline.core.contracts import MISSING_INT, MISSING_STRING

_POINTS = 20
_CATEGORIES = 12
_NUMBERS = ("numeric", "bucketized", "timestamp")
# Where year, month and day stand in a date, by its format.
_DATE_ORDER = {"month_first": (2, 0, 1), "day_first": (2, 1, 0)}


@dataclass(frozen=True)
class Grid:
    """Values of one column, as the served signature takes them."""

    values: Array
    """[points]: numbers, or objects of type bytes."""
    texts: tuple[str, ...]
    positions: tuple[float, ...] | None
    """The values of a number; None for a category."""


def choose_grid(cells: Array, kind: str, time_format: str) -> Grid:
    """Returns values that occur: quantiles of a number or a date, or the most frequent categories.

    Args:
      cells: as the signature takes them, [n].
      kind: the feature kind.
      time_format: the format of a timestamp; empty for other kinds.
    """
    present = _drop_missing(cells)
    is_text = present.dtype == object
    if is_text and kind == "timestamp":
        return _make_grid(_spread_dates(present, time_format), present.dtype)
    if not is_text and (kind in _NUMBERS or np.issubdtype(present.dtype, np.floating)):
        grid = _make_grid(_quantiles(present), present.dtype)
        return dataclasses.replace(grid, positions=tuple(grid.values.astype(float).tolist()))
    return _make_grid(_most_frequent(present), present.dtype)


def _make_grid(values: Sequence[Any], dtype: Any) -> Grid:
    texts = tuple(map(describe_cell, values))
    return Grid(np.array(values, dtype), texts, positions=None)


def _drop_missing(cells: Array) -> Array:
    if cells.dtype == object:
        present: Array = cells != MISSING_STRING.encode()
    elif np.issubdtype(cells.dtype, np.floating):
        present = np.isfinite(cells)
    else:
        present = cells != MISSING_INT
    return np.compress(present, cells)


def _quantiles(numbers: Array) -> list[Any]:
    if not len(numbers):
        return []
    # The outermost percent would stretch the axis to the outliers.
    places = np.linspace(0.01, 0.99, _POINTS) * (len(numbers) - 1)
    chosen = np.unique(np.sort(numbers)[np.round(places).astype(int)])
    return list(chosen.tolist())


def _most_frequent(values: Array) -> list[Any]:
    counts = Counter(values.tolist())
    return sorted(counts, key=lambda value: (-counts[value], value))[:_CATEGORIES]


def _spread_dates(texts: Array, time_format: str) -> list[Any]:
    """Returns dates from the first to the last one, as they are written."""
    ordered = sorted(set(texts.tolist()), key=lambda text: _date_key(text, time_format))
    places = np.linspace(0, len(ordered) - 1, min(_POINTS, len(ordered)))
    return [ordered[place] for place in np.unique(np.round(places).astype(int))]


def _date_key(text: bytes, time_format: str) -> tuple[int, ...]:
    numbers = [int(part) for part in re.findall(rb"\d+", text)]
    date = numbers[:3]
    if time_format in _DATE_ORDER and len(date) == 3:
        date = [date[place] for place in _DATE_ORDER[time_format]]
    return (*date, *numbers[3:])
