"""Divides the files of a table into parts: what one worker reads, and what a shard holds rows of.

A part is a file, or several small files in a row. Names and sizes of the files alone decide, so
that a run on one machine and a run on many workers write the same shards. No shard holds rows of
two parts: the workers of two parts never have to agree on a cut.

A part of each file would be simpler, but a table of 1,000 tiny files would become 3,000 tiny
shards, and later components pay for each shard that they open. So small files share a part, up to
`_LARGEST_SHARED`, and a table of up to 4 GB in small files has about `_ENOUGH_PARTS` parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from components.tables.sources.table_path import TablePath, size_of
from pipeline.core.errors import ConfigError

_ENOUGH_PARTS = 64
"""More parts than cores, so that no core waits long for the last part of another."""
_SMALLEST_SHARED = 1 << 20
"""Bytes of files that share a part. Half of it doubles the shards of tables of a few megabytes."""
_LARGEST_SHARED = 64 << 20
"""Twice of it leaves too few parts for many workers, where a table has gigabytes in small files."""


@dataclass(frozen=True)
class Part:
    """Consecutive files of a table. Later a part may also be a range of a file."""

    index: int
    paths: tuple[TablePath, ...]

    @property
    def files(self) -> list[Path]:
        """The files on a file system, without objects of stores."""
        return [path for path in self.paths if isinstance(path, Path)]


def plan_parts(paths: Sequence[TablePath]) -> tuple[Part, ...]:
    """Returns the parts of a table, in the order of its files.

    Raises:
      ConfigError: a file cannot be read.
    """
    sizes = [_read_size(path) for path in paths]
    enough = min(max(sum(sizes) // _ENOUGH_PARTS, _SMALLEST_SHARED), _LARGEST_SHARED)
    groups: list[list[TablePath]] = []
    filled = enough
    for path, size in zip(paths, sizes, strict=True):
        if filled >= enough:
            groups.append([])
            filled = 0
        groups[-1].append(path)
        filled += size
    return tuple(Part(index, tuple(group)) for index, group in enumerate(groups))


def _read_size(path: TablePath) -> int:
    try:
        return size_of(path)
    except OSError as error:
        raise ConfigError(f"data.path: {path} cannot be read: {error.strerror}") from None
