"""Measures how much the columns tell about the label and about each other, on a sample of rows."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
import pyarrow as pa

from components.data_figures.association_measures import (
    Array,
    Column,
    encode_category,
    encode_number,
    measure_association,
)
from components.data_figures.figures import Associations
from components.run_figures.notes import Notes

ReadRows = Callable[[Array], pa.Table]
"""Takes ascending row numbers of split train; returns the cells of the columns."""

MOST_ROWS = 50_000
"""Chance then moves an association by 0.005; with a quarter of the rows by 0.01."""
_FEWEST_ROWS = 5_000
_MOST_CELLS = 6_000_000
"""Cells to rank: a second of work. A table of 500 columns gets 12,000 rows."""
_MOST_CELLS_READ = 60_000_000
_ROW_GROUP = 1 << 15
"""ExampleGen's row groups: reading one row of it costs as much as reading all."""
_MOST_COLUMNS = 30


def choose_rows(rows: int, columns: int) -> Array:
    """Returns ascending row numbers of a sample, int64; see `spread_rows`."""
    wanted = min(rows, max(_FEWEST_ROWS, min(MOST_ROWS, _MOST_CELLS // max(columns, 1))))
    return spread_rows(rows, wanted, columns)


def spread_rows(rows: int, wanted: int, columns: int) -> Array:
    """Returns so many ascending row numbers, int64, in blocks spread evenly over the split.

    The rows may be ordered by time, so the sample must not be their beginning. Of a wide table, few
    blocks are read, because each one costs a row group.
    """
    if wanted == rows:
        return np.arange(rows)
    blocks = min(wanted, max(4, _MOST_CELLS_READ // (_ROW_GROUP * columns)))
    starts = np.linspace(0, rows - wanted // blocks, blocks).astype(np.int64)
    return np.unique(starts[:, None] + np.arange(wanted // blocks))


def measure_with_label(
    table: pa.Table,
    label: str,
    types: Mapping[str, Literal["number", "category"]],
    notes: Notes,
) -> tuple[dict[str, float | None], Associations | None]:
    """Returns the association of each column with the label, and the matrix of the strongest ones.

    Args:
      table: rows of split train.
      label: the label's column, one of `types`.
      types: how to take each column.
      notes: for columns that cannot be measured.
    """
    encoded = _encode(table, types, notes)
    if label not in encoded:
        return {}, None
    others = [name for name in encoded if name != label]
    with_label = {name: measure_association(encoded[label], encoded[name]) for name in others}
    others.sort(key=lambda name: -(with_label[name] or 0.0))
    shown = [label, *others[:_MOST_COLUMNS]]
    matrix = _measure_matrix([encoded[name] for name in shown])
    return with_label, Associations(tuple(shown), matrix, table.num_rows)


def _encode(table: pa.Table, types: Mapping[str, str], notes: Notes) -> dict[str, Column]:
    encoded = {}
    for name, kind in types.items():
        make = functools.partial(_encode_column, table, name, kind)
        column = notes.attempt(f"the associations of '{name}'", make, None)
        if column is not None:
            encoded[name] = column
    return encoded


def _encode_column(table: pa.Table, name: str, kind: str) -> Column:
    cells = table.column(name)
    return encode_number(cells) if kind == "number" else encode_category(cells)


def _measure_matrix(columns: list[Column]) -> tuple[tuple[float | None, ...], ...]:
    count = len(columns)
    matrix: list[list[float | None]] = [[None] * count for _ in columns]
    for i, one in enumerate(columns):
        for j in range(i + 1):
            found = measure_association(one, columns[j])
            matrix[i][j] = matrix[j][i] = found
    return tuple(map(tuple, matrix))
