"""A stretch of rows, and where it stands, so that an error can name the place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa


@dataclass(frozen=True)
class FileBlock:
    """Consecutive rows of one file."""

    path: Path
    first_row: int
    """The number of the block's first row in the file, counted from 0 below the header."""
    batch: pa.RecordBatch
