"""Divides the files of a table into parts: what one worker reads, and what a shard holds rows of.

A part is a file, several small files in a row, or a range of a large Parquet file. The files alone
decide, so that a run on one machine and a run on many workers write the same shards. No shard holds
rows of two parts: the workers of two parts never have to agree on a cut.

A part of each file would be simpler, but a table of 1,000 tiny files would become 3,000 tiny
shards, and later components pay for each shard that they open. So small files share a part, up to
`_LARGEST_SHARED`, and a table of up to 4 GB in small files has about `_ENOUGH_PARTS` parts.

A CSV file is never divided. Only the text before it tells whether a line break ends a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, pairwise
from pathlib import Path

from components.tables.parquet.parquet_file import read_group_rows
from components.tables.sources.row_groups import RowGroups, TableSource
from components.tables.sources.table_path import TablePath, size_of
from pipeline.config import DataConfig
from pipeline.core.errors import ConfigError
from pipeline.core.stores.waiting import map_requests

_ENOUGH_PARTS = 64
"""More parts than cores, so that no core waits long for the last part of another."""
_SMALLEST_SHARED = 1 << 20
"""Bytes of files that share a part. Half of it doubles the shards of tables of a few megabytes."""
_LARGEST_SHARED = 64 << 20
"""Twice of it leaves too few parts for many workers, where a table has gigabytes in small files."""
_RANGE_BYTES = 64 << 20
"""Bytes of a range of a large file. A row group of most writers has twice as many."""


@dataclass(frozen=True)
class Part:
    """Consecutive files of a table, or consecutive row groups of a file."""

    index: int
    sources: tuple[TableSource, ...]

    @property
    def whole_files(self) -> list[Path]:
        """The undivided files on a file system, without objects of stores."""
        return [source for source in self.sources if isinstance(source, Path)]


def plan_parts(paths: Sequence[TablePath], data: DataConfig) -> tuple[Part, ...]:
    """Returns the parts of a table, in the order of its rows.

    Raises:
      ConfigError: a file cannot be read.
      DataError: a large file is not Parquet, though `data.source` says so.
    """
    sizes = [_read_size(path) for path in paths]
    enough = min(max(sum(sizes) // _ENOUGH_PARTS, _SMALLEST_SHARED), _LARGEST_SHARED)
    large = [size >= 2 * _RANGE_BYTES and data.source == "parquet" for size in sizes]
    ranges = map_requests(_divide, compress(zip(paths, sizes, strict=True), large))
    groups: list[list[TableSource]] = []
    filled = enough
    for path, size, is_large in zip(paths, sizes, large, strict=True):
        if is_large:
            groups += ([source] for source in next(ranges))
            filled = enough
            continue
        if filled >= enough:
            groups.append([])
            filled = 0
        groups[-1].append(path)
        filled += size
    return tuple(Part(index, tuple(group)) for index, group in enumerate(groups))


def list_sources(parts: Sequence[Part]) -> list[TableSource]:
    """Returns what to read for all rows of the table, in their order."""
    return [source for part in parts for source in part.sources]


def find_divided_files(parts: Sequence[Part]) -> list[Path]:
    """Returns the files on a file system of which several parts have rows."""
    ranges = (s for s in list_sources(parts) if isinstance(s, RowGroups))
    return list(dict.fromkeys(each.path for each in ranges if isinstance(each.path, Path)))


def _divide(file: tuple[TablePath, int]) -> list[TableSource]:
    """Returns ranges of about `_RANGE_BYTES`, or the file if that is one range.

    Args:
      file: the file and its size.
    """
    path, size = file
    rows = read_group_rows(path)
    enough = sum(rows) * _RANGE_BYTES / size
    ends = []
    held = 0
    for end, count in enumerate(rows, start=1):
        held += count
        if held >= enough or end == len(rows):
            ends.append(end)
            held = 0
    if len(ends) < 2:
        return [path]
    return [RowGroups(path, *pair) for pair in pairwise([0, *ends])]


def _read_size(path: TablePath) -> int:
    try:
        return size_of(path)
    except OSError as error:
        raise ConfigError(f"data.path: {path} cannot be read: {error.strerror}") from None
