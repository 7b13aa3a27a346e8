"""Assigns each row to train, eval (early stopping) or test (Evaluator).

The assignment depends on the content of the rows alone, not on the number and order of the files or
the size of the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from components.tables.arrays import is_present
from components.tables.splitting.cell_hash import Hashes, hash_rows
from pipeline.config import SplitConfig

SplitIndices = npt.NDArray[np.uint8]
"""uint8 [n]: the index in `Split.ALL` of each row's split."""
ExactCells = Mapping[str, pa.Array]
"""See `FileBlock.exact`."""
_NO_CELLS: ExactCells = MappingProxyType({})


class Splitter(Protocol):
    """Assigns rows to splits by their content."""

    def assign(self, batch: pa.RecordBatch, exact: ExactCells = _NO_CELLS) -> SplitIndices:
        """Returns the split of each of the n rows, uint8 [n]."""


class RowSplitter:
    """Assigns rows by a hash of columns, by default all but the label: equal rows share a split.

    The hash leaves out the label. With it, rows that differ only in their label would fall into
    different splits: in a table with few distinct rows, the model would learn the opposite of what
    it is tested on. The order of the columns does not matter.
    """

    def __init__(
        self, config: SplitConfig, label_column: str, columns: Sequence[str] | None = None
    ) -> None:
        self._config = config
        self._label_column = label_column
        self._columns = columns

    def assign(self, batch: pa.RecordBatch, exact: ExactCells = _NO_CELLS) -> SplitIndices:
        own = [name for name in batch.schema.names if name != self._label_column]
        columns = own if self._columns is None else self._columns
        hashes = hash_rows(batch, columns, self._config.seed, exact)
        return _assign_by_shares(hashes, self._config)


class KeySplitter:
    """Assigns rows by a hash of one column, so that all rows of one customer share a split.

    Rows without a key go to train: in eval or test they could belong to a customer in train.
    """

    def __init__(self, config: SplitConfig, column: str) -> None:
        self._config = config
        self._column = column

    def assign(self, batch: pa.RecordBatch, exact: ExactCells = _NO_CELLS) -> SplitIndices:
        hashes = hash_rows(batch, [self._column], self._config.seed, exact)
        keys = batch.column(batch.schema.get_field_index(self._column))
        return np.where(is_present(keys), _assign_by_shares(hashes, self._config), 0).astype(
            np.uint8
        )


class TimeSplitter:
    """Assigns rows by time: to eval after the first boundary, to test after the second.

    Rows without a time go to train, since nothing says that they are later than the training data.
    """

    def __init__(
        self, column: str, boundaries: tuple[float, float], times_of: Callable[[pa.Array], pa.Array]
    ) -> None:
        self._column = column
        self._boundaries = boundaries
        self._times_of = times_of

    def assign(self, batch: pa.RecordBatch, exact: ExactCells = _NO_CELLS) -> SplitIndices:
        # The boundaries are numbers of the column's type.
        cells = batch.column(batch.schema.get_field_index(self._column))
        times = self._times_of(cells)
        numbers = times.fill_null(0).to_numpy()
        later = sum((numbers > boundary).astype(np.uint8) for boundary in self._boundaries)
        return np.where(is_present(times), later, 0).astype(np.uint8)


def _assign_by_shares(hashes: Hashes, config: SplitConfig) -> SplitIndices:
    """Divides the range of the hashes in proportion to the shares of the splits."""
    total = config.train + config.eval + config.test
    eval_begins = np.uint64(config.train / total * 2**64)
    test_begins = np.uint64((config.train + config.eval) / total * 2**64)
    return (hashes >= eval_begins).astype(np.uint8) + (hashes >= test_begins)
