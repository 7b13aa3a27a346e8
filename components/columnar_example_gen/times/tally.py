"""Counts the rows of each distinct time, in memory that can be bounded.

A table may have more distinct times than a process can hold. Then a tally puts neighbouring times
together into cells, all of the same width, a power of two. Tallies with cells merge like exact
tallies. The cells that may hold a boundary are counted again, alone and so more finely, until the
boundary is a time and not a cell: `Histogram` says which cells those are.

Times are counted as keys: int64 numbers in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import PlainSerializer, PlainValidator

Keys = Annotated[
    npt.NDArray[np.int64],
    PlainValidator(lambda numbers: np.asarray(numbers, np.int64)),
    PlainSerializer(lambda array: array.tolist()),
]
# Distinct times that wait to be merged: about 16 MB. Fewer cost more merges, more cost memory.
_MERGE_AT = 1 << 20


def make_keys(times: npt.NDArray[Any]) -> Keys:
    """Returns int64 numbers in the order of the times, which are int64, float32 or float64 [n]."""
    if times.dtype == np.int64:
        return times
    # The bits of floats are ordered like integers with a sign of their own; -0.0 becomes 0.
    bits = times.view(np.int32 if times.dtype == np.float32 else np.int64).astype(np.int64)
    magnitude = bits & (np.iinfo(np.int32 if times.dtype == np.float32 else np.int64).max)
    return np.where(bits < 0, -magnitude, magnitude)


def read_key(key: int, kind: str) -> float:
    """Returns the time whose key `make_keys` made from an array of this dtype."""
    if kind == "int64":
        return int(key)
    magnitude = np.array([abs(key)], np.int32 if kind == "float32" else np.int64)
    time: float = magnitude.view(kind)[0].item()
    return -time if key < 0 else time


@dataclass(frozen=True)
class Cells:
    """Rows by time. A cell holds the keys from its start on, 2**shift of them."""

    starts: Keys
    """Sorted, without repetition; only cells that have rows."""
    rows: Keys
    shift: int = 0
    """0 if each cell is one time."""

    @classmethod
    def empty(cls) -> Cells:
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))

    def merge(self, *others: Cells, most: int | None = None) -> Cells:
        """Returns the rows of all in at most `most` cells, as narrow as possible."""
        cells = (self, *others)
        shift = max(each.shift for each in cells)
        starts = np.concatenate([each.starts for each in cells])
        rows = np.concatenate([each.rows for each in cells])
        while True:
            merged = _add_up(starts >> shift << shift, rows, shift)
            if most is None or len(merged.starts) <= most:
                return merged
            starts, rows, shift = merged.starts, merged.rows, shift + 1


def _add_up(starts: Keys, rows: Keys, shift: int) -> Cells:
    distinct, positions = np.unique(starts, return_inverse=True)
    sums = np.zeros(len(distinct), np.int64)
    np.add.at(sums, positions, rows)
    return Cells(distinct, sums, shift)


@dataclass(frozen=True)
class Windows:
    """Ranges of keys, sorted and apart."""

    lowest: Keys
    highest: Keys

    def select(self, keys: Keys) -> Keys:
        """Returns the keys in the windows."""
        at = np.searchsorted(self.lowest, keys, side="right") - 1
        selected: Keys = keys[(at >= 0) & (keys <= self.highest[at])]
        return selected


class TimeTally:
    """Counts times batch by batch."""

    def __init__(self, most: int | None = None, windows: Windows | None = None) -> None:
        """Creates a tally.

        Args:
          most: the largest number of cells; None for a cell of each time, however many there are.
          windows: the times to count; by default all.
        """
        self._most = most
        self._windows = windows
        self._cells = Cells.empty()
        self._waiting: list[Cells] = []
        self._waiting_cells = 0

    def add(self, times: npt.NDArray[Any]) -> None:
        """Counts the times."""
        keys = make_keys(times)
        if self._windows is not None:
            keys = self._windows.select(keys)
        starts, rows = np.unique(keys, return_counts=True)
        self._waiting.append(Cells(starts, rows.astype(np.int64)))
        self._waiting_cells += len(starts)
        # Merging only when as many times wait as are merged keeps the cost linear in the rows.
        if self._waiting_cells > max(_MERGE_AT, len(self._cells.starts)):
            self.read()

    def read(self) -> Cells:
        """Returns the rows of all times so far."""
        self._cells = self._cells.merge(*self._waiting, most=self._most)
        self._waiting, self._waiting_cells = [], 0
        return self._cells
