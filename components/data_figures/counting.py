"""Reads the rows of number columns, a few columns at a time, so that the memory stays small."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from components.data_figures.association_measures import Array
from components.data_figures.associations import spread_rows
from components.data_figures.numbers import CountedRows, sort_values
from components.data_figures.samples import DataInputs

_MOST_CELLS = 20_000_000
"""Read at once: 80 to 160 MB. Each read of TFRecords parses all columns again."""
_MOST_ROWS = 5_000_000
"""Of a larger table, so many rows are counted: a share then has an error of 0.05 % at most."""


def group_columns(names: Sequence[str], rows: int) -> Iterator[Sequence[str]]:
    """Yields groups of columns that fit into the memory together."""
    size = max(1, _MOST_CELLS // max(1, min(rows, _MOST_ROWS)))
    for start in range(0, len(names), size):
        yield names[start : start + size]


def read_numbers(
    inputs: DataInputs,
    names: Sequence[str],
    read_rows: Callable[[str, Sequence[str], Array | None], pa.Table],
) -> dict[str, dict[str, CountedRows]]:
    """Returns the values of the columns by column and split."""
    found: dict[str, dict[str, CountedRows]] = {}
    total = sum(inputs.rows[split] for split in inputs.statistics)
    for split in inputs.statistics:
        count = inputs.rows[split]
        present = [
            name
            for name in names
            if name in inputs.samples.get(split, {}) and inputs.summaries[name].values_per_row <= 1
        ]
        if not count or not present:
            continue
        wanted = count if total <= _MOST_ROWS else max(1, count * _MOST_ROWS // total)
        rows = None if wanted == count else spread_rows(count, wanted, len(present))
        table = read_rows(split, present, rows)
        for name in present:
            found.setdefault(name, {})[split] = sort_values(table.column(name))
    return found
