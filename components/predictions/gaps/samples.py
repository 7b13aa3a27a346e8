"""Draws a random sample of the rows of each slice, part by part of the table of predictions.

The table of a large split does not fit into memory, nor do its columns to slice by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from components.predictions.slices import group_slices
from components.predictions.table import iter_slices
from components.predictions.terms import Array


@dataclass
class SliceRows:
    """How many rows a slice has, and some or all of their numbers."""

    most: int
    """The rows to sample."""
    count: int = 0
    _rows: Array = field(default_factory=lambda: np.empty(0, np.int64))
    _ranks: Array = field(default_factory=lambda: np.empty(0))
    """A random number for each row. The rows with the lowest numbers are the sample."""

    def add(self, rows: Array, ranks: Array) -> None:
        """Adds row numbers, int64 [n], each with its random number."""
        self.count += len(rows)
        self._rows = np.concatenate([self._rows, rows])
        self._ranks = np.concatenate([self._ranks, ranks])
        if len(self._rows) > 2 * self.most:
            self._keep(self.most)

    def sample(self, most: int) -> Array:
        """Returns at most `most` row numbers, ascending, and never more than `self.most`."""
        self._keep(min(most, self.most))
        return np.sort(self._rows)

    def _keep(self, most: int) -> None:
        if len(self._rows) > most:
            kept = np.argpartition(self._ranks, most)[:most]
            self._rows, self._ranks = self._rows[kept], self._ranks[kept]


def sample_slices(table: str, columns: Sequence[str], most: int) -> dict[str, SliceRows]:
    """Returns the rows of each slice of `columns`, by the name of the slice.

    Args:
      table: the directory of the table of predictions.
      columns: the columns to group by, one or more.
      most: the most rows of a slice in its sample.
    """
    random = np.random.default_rng(1)
    slices: dict[str, SliceRows] = {}
    for start, cells in iter_slices(table, columns):
        ranks = random.random(len(cells[columns[0]]))
        for name, rows in group_slices(cells, columns):
            slices.setdefault(name, SliceRows(most)).add(start + rows, ranks[rows])
    return slices
