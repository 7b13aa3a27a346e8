"""Finds the rows that the evaluated splits of two runs have in common.

A row is known by the hash of its cells without the label. So a row whose label was corrected stays
the same row: a match with the label would hide exactly the rows that changed. Rows that are equal
without their label are matched as multisets: first those with the same label, then the others. Two
runs of the same table have all rows in common; two deliveries that overlap have some.

Limits: a row with another change than its label counts as two rows. Two things that the table
describes by the same cells count as one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from components.tables.splitting.cell_hash import Hashes, hash_rows
from pipeline.core.contracts import Split
from pipeline.runners.comparing.pair import Pair

_SEED = 0
_STEP = np.uint64(0x9E3779B97F4A7C15)
"""Odd, and without a pattern in its bits: equal rows get keys that lie far apart."""
Rows = npt.NDArray[np.int64]
Labels = npt.NDArray[Any]


@dataclass(frozen=True)
class RowPairs:
    """The common rows: row `before[i]` of one split is row `after[i]` of the other."""

    before: Rows
    """Row numbers, int64 [n]."""
    after: Rows
    """Ascending row numbers, int64 [n]."""
    columns: tuple[str, ...]
    """The columns by whose cells the rows were matched."""
    relabelled: int = 0
    """The pairs whose labels differ."""


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


def match_rows(tables: Pair[pa.Table], labels: Pair[Labels], label: str | None) -> RowPairs:
    """Returns the pairs of rows whose cells are equal in all columns that both tables have.

    Cells are equal as for the split of a row: see `canonical_text`. Columns whose types differ in
    kind count as columns of one table only.

    Args:
      labels: of both tables: class indices or numbers, [n].
      label: the label's column, whose cells may differ; None if unknown.
    """
    columns = _list_common_columns(tables, label)
    if not columns:
        return RowPairs(np.empty(0, np.int64), np.empty(0, np.int64), ())
    cells = tables.map(lambda table: _hash_rows(table, columns))
    named = labels.map(_hash_labels)
    equal = _intersect(Pair(cells.before ^ named.before, cells.after ^ named.after))
    rest = Pair(_leave_out(cells.before, equal.before), _leave_out(cells.after, equal.after))
    places = _intersect(Pair(cells.before[rest.before], cells.after[rest.after]))
    first = np.concatenate([equal.before, rest.before[places.before]])
    second = np.concatenate([equal.after, rest.after[places.after]])
    order = np.argsort(second)
    return RowPairs(first[order], second[order], columns, len(places.after))


def _list_common_columns(tables: Pair[pa.Table], label: str | None) -> tuple[str, ...]:
    """Returns the columns of the same kind that both tables have, without the label."""
    before, after = tables.map(
        lambda table: dict(zip(table.column_names, table.schema.types, strict=True))
    )
    return tuple(n for n, kind in before.items() if after.get(n) == kind and n != label)


def _hash_rows(table: pa.Table, columns: Sequence[str]) -> Hashes:
    """Returns the hash of each row, uint64 [n].

    Among a million rows, two hashes are equal by chance once in twenty million comparisons of runs.
    """
    batches = (hash_rows(batch, columns, _SEED) for batch in table.to_batches())
    return np.concatenate([np.empty(0, np.uint64), *batches])


def _hash_labels(labels: Labels) -> Hashes:
    """Returns a number for each label, uint64 [n]; equal labels have equal numbers."""
    # Zero is added because -0.0 is equal to 0.0, but has other bits.
    batch = pa.record_batch([pa.array(labels.astype(np.float64) + 0.0)], ["label"])
    return hash_rows(batch, ["label"], _SEED)


def _leave_out(hashes: Hashes, places: Rows) -> Rows:
    """Returns the other places of the hashes, ascending."""
    return np.setdiff1d(np.arange(len(hashes)), places, assume_unique=True)


def _intersect(hashes: Pair[Hashes]) -> Pair[Rows]:
    """Returns the places of equal hashes, each place once."""
    keys = hashes.map(lambda side: side + _number_equal_rows(side) * _STEP)
    _, first, second = np.intersect1d(
        keys.before, keys.after, assume_unique=True, return_indices=True
    )
    return Pair(first, second)


def _number_equal_rows(hashes: Hashes) -> Hashes:
    """Returns how many earlier rows have the same hash, for each row."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(ordered)])
    numbers = np.empty(len(hashes), np.uint64)
    numbers[order] = np.arange(len(hashes)) - np.repeat(starts, lengths)
    return numbers
