"""The files of a table of predictions: one part for each batch, named by its first row."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from components.predictions.terms import Array
from pipeline.core.files import is_remote, is_staged

_PREFIX = "part-"


def part_name(first_row: int) -> str:
    """Returns the name of the file; the names are in the order of the rows."""
    return f"{_PREFIX}{first_row:012d}.parquet"


@dataclass(frozen=True)
class Parts:
    """The files of a table, in the order of their rows."""

    paths: Sequence[str]
    starts: Sequence[int]
    """The first row of each file."""
    total: int
    schema: pa.Schema

    @classmethod
    def find(cls, uri: str) -> Parts:
        """Returns the parts in the directory `uri`.

        Raises:
          FileNotFoundError: there is no part.
          ValueError: a part is missing between others.
        """
        names = sorted(name for name in _list_names(uri) if name.startswith(_PREFIX))
        if not names:
            raise FileNotFoundError(f"{uri}: there is no table of predictions")
        paths = [os.path.join(uri, name) for name in names]
        starts, total = [], 0
        for path, name in zip(paths, names, strict=True):
            with _open(path) as file:
                metadata = pq.read_metadata(file)
            start = int(name[len(_PREFIX) :].split(".")[0])
            if start != total:
                raise ValueError(f"{uri}: the table has no row {total}")
            starts.append(start)
            total += metadata.num_rows
        return cls(paths, starts, total, metadata.schema.to_arrow_schema())

    def read(self, columns: Sequence[str], rows: Array | None) -> pa.Table:
        """Returns some columns of the chosen rows, ascending row numbers, or of all rows."""
        tables = []
        ends = [*self.starts[1:], self.total]
        for path, start, end in zip(self.paths, self.starts, ends, strict=True):
            chosen = None
            if rows is not None:
                chosen = rows[np.searchsorted(rows, start) : np.searchsorted(rows, end)] - start
                if not len(chosen):
                    continue
            table = _read(path, columns)
            tables.append(table if chosen is None else table.take(pa.array(chosen)))
        return pa.concat_tables(tables) if tables else self.schema.empty_table().select(columns)

    def iter_tables(self, columns: Sequence[str]) -> Iterator[tuple[int, pa.Table]]:
        """Yields some columns of each part, with the number of its first row."""
        for path, start in zip(self.paths, self.starts, strict=True):
            yield start, _read(path, columns)


def sweep_staged(uri: str) -> None:
    """Removes what killed writers left in the directory `uri`; nobody may write there any more."""
    for name in filter(is_staged, _list_names(uri)):
        _remove(os.path.join(uri, name))


def _read(path: str, columns: Sequence[str]) -> pa.Table:
    with _open(path) as file:
        return pq.read_table(file, columns=list(columns))


def _list_names(uri: str) -> list[str]:
    if not is_remote(uri):
        return os.listdir(uri) if os.path.isdir(uri) else []
    from tfx.dsl.io import fileio

    return [str(name) for name in fileio.listdir(uri)] if fileio.exists(uri) else []


def _open(path: str) -> Any:
    if not is_remote(path):
        return open(path, "rb")
    from tfx.dsl.io import fileio

    return fileio.open(path, "rb")


def _remove(path: str) -> None:
    if not is_remote(path):
        os.unlink(path)
        return
    from tfx.dsl.io import fileio

    fileio.remove(path)
