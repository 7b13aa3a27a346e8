"""Finds the rows that the evaluated splits of two runs have in common.

A row is known by the hash of its cells, and by its number among equal rows. Two runs of the same
table have all rows in common; two deliveries that overlap have some.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from components.tables.splitting.cell_hash import Hashes, hash_rows
from pipeline.core.contracts import Split

_SEED = 0
_STEP = np.uint64(0x9E3779B97F4A7C15)
"""Odd, and without a pattern in its bits: equal rows get keys that lie far apart."""
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RowPairs:
    """The common rows: row `before[i]` of one split is row `after[i]` of the other."""

    before: Rows
    """Row numbers, int64 [n]."""
    after: Rows
    """Ascending row numbers, int64 [n]."""
    columns: tuple[str, ...]
    """The columns by whose cells the rows were matched."""


def read_cells(examples: str, split: str, columns: Sequence[str] | None = None) -> pa.Table:
    """Returns the cells of a split of Parquet Examples, in the order of row numbers.

    Numbers become float64 and text large_string: a later delivery may write 8 as 8.0.

    Args:
      examples: the directory of the Examples artifact.
      columns: the columns to read; None for all.

    Raises:
      FileNotFoundError: the split has no Parquet files, such as one of TFRecord files.
    """
    directory = Path(examples) / f"{Split.PREFIX}{split}"
    files = sorted(path for path in directory.glob("*") if path.suffix == ".parquet")
    if not files:
        raise FileNotFoundError(f"{directory}: there are no Parquet files")
    tables = [pq.read_table(path, columns=list(columns) if columns else None) for path in files]
    return pa.concat_tables([_take_cells(table) for table in tables])


def _take_cells(table: pa.Table) -> pa.Table:
    return pa.table({name: _take_cell(table[name]) for name in table.column_names})


def _take_cell(column: pa.ChunkedArray) -> pa.Array:
    """Returns the one value in each row's list, null for an empty list."""
    cells = pa.concat_arrays(column.chunks) if column.chunks else pa.array([], column.type)
    if pa.types.is_null(cells.type):
        return cells.cast(pa.string())
    lengths = pc.fill_null(pc.list_value_length(cells), 0).to_numpy()
    places = pa.array(np.cumsum(lengths) - 1, mask=lengths == 0)
    values = cells.flatten().take(places)
    is_text = pa.types.is_large_binary(values.type) or pa.types.is_binary(values.type)
    return values.cast(pa.string()) if is_text else values.cast(pa.float64())


def match_rows(before: pa.Table, after: pa.Table) -> RowPairs:
    """Returns the pairs of rows whose cells are equal in all columns that both tables have.

    Columns whose types differ in kind count as columns of one table only.
    """
    types = dict(zip(after.column_names, after.schema.types, strict=True))
    columns = tuple(
        name
        for name, kind in zip(before.column_names, before.schema.types, strict=True)
        if types.get(name) == kind
    )
    _, first, second = np.intersect1d(
        _make_keys(before, columns),
        _make_keys(after, columns),
        assume_unique=True,
        return_indices=True,
    )
    order = np.argsort(second)
    return RowPairs(first[order], second[order], columns)


def _make_keys(table: pa.Table, columns: Sequence[str]) -> Hashes:
    """Returns a key for each row: its hash, moved by its number among equal rows, uint64 [n].

    Among a million rows, two keys are equal by chance once in twenty million comparisons of runs.
    """
    if not columns:
        return np.empty(0, np.uint64)
    hashes = np.concatenate(
        [np.empty(0, np.uint64), *(hash_rows(b, columns, _SEED) for b in table.to_batches())]
    )
    keys: Hashes = hashes + _number_equal_rows(hashes) * _STEP
    return keys


def _number_equal_rows(hashes: Hashes) -> Hashes:
    """Returns how many earlier rows have the same hash, for each row."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(ordered)])
    numbers = np.empty(len(hashes), np.uint64)
    numbers[order] = np.arange(len(hashes)) - np.repeat(starts, lengths)
    return numbers
