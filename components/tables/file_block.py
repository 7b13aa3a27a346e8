"""The unit in which files are read: a batch of rows that knows its file and its position."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from components.tables.sources.table_path import TablePath


@dataclass(frozen=True)
class FileBlock:
    """Consecutive rows of one file, with their position so that an error can name the place."""

    path: TablePath
    first_row: int
    """Index of the block's first row in the file, counted from 0 below the header."""
    batch: pa.RecordBatch
