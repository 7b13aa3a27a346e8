"""Which rows are for training, which for early stopping, which for the Evaluator.

The answer depends on the rows' content alone. It is the same whatever the number and order of the
files and the size of the blocks they are read in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from components.tables.arrays import is_present
from components.tables.cell_hash import Hashes, hash_rows
from pipeline.config import SplitConfig

SPLITS = ("train", "eval", "test")

SplitIndices = npt.NDArray[np.uint8]
"""Of each row, the position of its split in SPLITS."""


class Splitter(Protocol):
    """Assigns rows to splits."""

    def assign(self, batch: pa.RecordBatch) -> SplitIndices:
        """Returns the split of each of the n rows, uint8 [n]."""


class RowSplitter:
    """By a hash of the row: of two equal rows, the model never sees one and is tested on the other.

    The label takes no part. In a table of few distinct rows, a hash of all columns would part those
    that differ in nothing else: the model would learn the opposite of what it is tested on. The
    order of the columns does not matter.
    """

    def __init__(self, config: SplitConfig, label: str) -> None:
        self._config = config
        self._label = label

    def assign(self, batch: pa.RecordBatch) -> SplitIndices:
        columns = [name for name in batch.schema.names if name != self._label]
        hashes = hash_rows(batch, columns, self._config.seed)
        return _assign_by_shares(hashes, self._config)


class KeySplitter:
    """By a hash of one column, so that all rows of one customer are in one split.

    Rows without a key may be anybody's: they are for training, where they contaminate nothing.
    """

    def __init__(self, config: SplitConfig, column: str) -> None:
        self._config = config
        self._column = column

    def assign(self, batch: pa.RecordBatch) -> SplitIndices:
        hashes = hash_rows(batch, [self._column], self._config.seed)
        keys = batch.column(batch.schema.get_field_index(self._column))
        return np.where(is_present(keys), _assign_by_shares(hashes, self._config), 0).astype(
            np.uint8
        )


class TimeSplitter:
    """By two moments: what lies after the first is for evaluation, after the second for testing.

    Rows without a time cannot be later than the training data: they are part of it.
    """

    def __init__(
        self, column: str, boundaries: tuple[float, float], times_of: Callable[[pa.Array], pa.Array]
    ) -> None:
        self._column = column
        self._boundaries = boundaries
        self._times_of = times_of

    def assign(self, batch: pa.RecordBatch) -> SplitIndices:
        cells = batch.column(batch.schema.get_field_index(self._column))
        times = self._times_of(cells)
        numbers = times.fill_null(0).to_numpy()
        later = sum((numbers > boundary).astype(np.uint8) for boundary in self._boundaries)
        return np.where(is_present(times), later, 0).astype(np.uint8)


def _assign_by_shares(hashes: Hashes, config: SplitConfig) -> SplitIndices:
    """Cuts the range of the hashes in proportion to the shares of the splits."""
    total = config.train + config.eval + config.test
    eval_begins = np.uint64(config.train / total * 2**64)
    test_begins = np.uint64((config.train + config.eval) / total * 2**64)
    return (hashes >= eval_begins).astype(np.uint8) + (hashes >= test_begins)
