"""The unit in which files are read: a batch of rows that knows its file and its position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pyarrow as pa

from components.tables.sources.table_path import TablePath


@dataclass(frozen=True)
class FileBlock:
    """Consecutive rows of one file, with their position so that an error can name the place."""

    path: TablePath
    first_row: int
    """Index of the block's first row in the file, counted from 0 below the header."""
    batch: pa.RecordBatch
    exact: Mapping[str, pa.Array] = field(default_factory=dict)
    """The cells that a row's hash takes in place of those in `batch`, by column; for columns whose
    type hides what the file has (`splitting/exact_cells.py`)."""

    def filter(self, mask: pa.Array) -> FileBlock:
        """Returns the rows where `mask` is true; they may be no longer consecutive."""
        exact = {name: cells.filter(mask) for name, cells in self.exact.items()}
        return replace(self, batch=self.batch.filter(mask), exact=exact)
