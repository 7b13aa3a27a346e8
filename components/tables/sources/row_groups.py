"""A range of a Parquet file, whose rows are read without those of the rest of the file."""

from __future__ import annotations

from dataclasses import dataclass

from components.tables.sources.table_path import TablePath


@dataclass(frozen=True)
class RowGroups:
    """Consecutive row groups of a Parquet file. Its rows are counted from the start of the file."""

    path: TablePath
    first: int
    after: int
    """The index of the row group behind the last one."""


TableSource = TablePath | RowGroups
"""What the rows of a table are read from: a file, or a range of a file."""


def file_of(source: TableSource) -> TablePath:
    """Returns the file that holds the rows."""
    return source.path if isinstance(source, RowGroups) else source
