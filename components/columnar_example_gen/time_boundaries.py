"""Finds the two times that divide a table into train, eval and test.

The boundaries depend on the whole time column. So a pass of its own reads the column before the
first row is assigned; it keeps only the distinct times and the number of rows of each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from components.tables.arrays import is_present
from components.tables.file_block import FileBlock
from components.tables.readers import describe_place
from components.tables.splitting.splits import TimeSplitter
from components.tables.timestamps import parse_times
from components.tables.typed_table import TypedTable
from pipeline.config import SplitConfig
from pipeline.core.date_formats import DATE_FORMATS, TextFormat
from pipeline.core.errors import DataError
from pipeline.core.zones import AS_WRITTEN

_TimesOf = Callable[[pa.Array], pa.Array]
# Distinct times that wait to be merged: about 16 MB. Fewer cost more merges, more cost memory.
_MERGE_AT = 1 << 20


def build_time_splitter(table: TypedTable, column: str, label_column: str) -> TimeSplitter:
    """Returns a splitter with boundaries at quantiles of the times of the rows with a label.

    Rows with equal times share a split.

    Raises:
      DataError: a cell is no time, or there are fewer than three distinct times.
    """
    known = table.data.split.time_format
    interpretations = _list_interpretations(
        table.types[column] != "string",
        (known,) if known else tuple(DATE_FORMATS),
        table.data.split.time_zone or AS_WRITTEN,
    )
    for block in table.blocks(list(dict.fromkeys((column, label_column)))):
        cells, labels = (_get_column(block, name) for name in (column, label_column))
        labelled = pc.if_else(pc.is_valid(labels), cells, pa.scalar(None, cells.type))
        fitting = [candidate for candidate in interpretations if candidate.try_add(labelled)]
        if not fitting:
            raise _not_a_time_error(table, column, block, labelled, interpretations)
        interpretations = fitting
    chosen = interpretations[0]
    boundaries = chosen.find_boundaries(column, table.data.split)
    return TimeSplitter(column, boundaries, chosen.times_of)


def _list_interpretations(
    are_numbers: bool, formats: tuple[TextFormat, ...], zone: str
) -> list[_Interpretation]:
    if are_numbers:
        return [_Interpretation(lambda numbers: numbers)]
    return [_Interpretation(partial(parse_times, time_format=f, zone=zone)) for f in formats]


def _get_column(block: FileBlock, name: str) -> pa.Array:
    return block.batch.column(block.batch.schema.get_field_index(name))


def _not_a_time_error(
    table: TypedTable,
    column: str,
    block: FileBlock,
    cells: pa.Array,
    interpretations: list[_Interpretation],
) -> DataError:
    # The format that fits the most leading cells is most probably the right one.
    row = max(interpretation.find_first_bad(cells) for interpretation in interpretations)
    place = describe_place(block.path, block.first_row + row, table.data)
    return DataError(
        f"{place}: column '{column}': {cells[row].as_py()!r} is not a time like those before it",
        "data.split.column must hold numbers, or dates of one form: 2026-11-20T14:40:00, "
        "11/20/2026 02:40:00 PM or 20.11.2026 14:40",
    )


class _Interpretation:
    """One way to read the column, with the distinct times so far and the rows of each."""

    def __init__(self, times_of: _TimesOf) -> None:
        self.times_of = times_of
        self._values: list[npt.NDArray[Any]] = []
        self._counts: list[npt.NDArray[np.int64]] = []
        self._pending = 0

    def try_add(self, cells: pa.Array) -> bool:
        """Adds the times; returns False if a cell that is not missing cannot be read this way."""
        times = self.times_of(cells)
        if times.null_count > cells.null_count:
            return False
        self._add(times)
        return True

    def find_first_bad(self, cells: pa.Array) -> int:
        """Returns the index of the first cell that is not missing and cannot be read this way."""
        return int(np.argmax(is_present(cells) & ~is_present(self.times_of(cells))))

    def _add(self, times: pa.Array) -> None:
        values, counts = np.unique(times.drop_null().to_numpy(), return_counts=True)
        self._values.append(values)
        self._counts.append(counts)
        self._pending += len(values)
        # Merging only when as many times wait as are merged keeps the cost linear in the rows.
        if self._pending > max(_MERGE_AT, len(self._values[0])):
            self._merge()

    def find_boundaries(self, column: str, config: SplitConfig) -> tuple[float, float]:
        """Returns the last time of train and the last time of eval.

        The shares of the splits are as near to the configured ones as equal times allow.
        """
        self._merge()
        values = self._values[0] if self._values else np.zeros(0)
        if len(values) < 3:
            raise DataError(
                "data.split.column: a split by time needs three distinct times, one for each of "
                f"train, eval and test; '{column}' has {len(values)}"
            )
        rows = np.cumsum(self._counts[0])
        # However many times are equal, eval and test get at least one time each.
        train = _find_nearest(rows[:-2], config.train * rows[-1])
        share = config.train + config.eval
        evaluation = train + 1 + _find_nearest(rows[train + 1 : -1], share * rows[-1])
        return values[train].item(), values[evaluation].item()

    def _merge(self) -> None:
        if not self._values:
            return
        values, positions = np.unique(np.concatenate(self._values), return_inverse=True)
        counts = np.zeros(len(values), np.int64)
        np.add.at(counts, positions, np.concatenate(self._counts))
        self._values, self._counts, self._pending = [values], [counts], 0


def _find_nearest(numbers: npt.NDArray[np.int64], target: float) -> int:
    return int(np.argmin(np.abs(numbers - target)))
