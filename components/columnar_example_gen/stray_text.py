"""Refuses a few words in a column of numbers, which would silently make it a column of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from components.tables.file_block import FileBlock
from components.tables.readers import describe_place, iter_blocks
from components.tables.sources.row_groups import TableSource
from components.tables.sources.table_path import TablePath
from pipeline.config import DataConfig
from pipeline.config.base import dotted
from pipeline.core.errors import DataError

# Share of the values of a column. Up to it the words are taken for mistakes, beyond it the column
# is taken for text. docs/when-a-run-stops.md promises this share.
_MOST_STRAYS = 0.001
# Share of the values of the first block. Beyond it the column is taken for text and never checked.
_MOST_IN_FIRST_BLOCK = 0.01
# Digits with marks between them. Codes such as 007 match too: they are no numbers, but no words.
_DIGITS = r"^\s*[+-]?[\d.,' ]*\d[\d.,' ]*([eE][+-]?\d+)?\s*$"


@dataclass
class StrayCount:
    """Counts the values and the stray texts of one column; counts of parts of a table add up."""

    present: int = 0
    strays: int = 0
    first: tuple[TablePath, int, str] | None = None
    """File, row (from 0) and text of the first stray text."""

    def add(self, block: FileBlock, name: str) -> None:
        cells = block.batch.column(block.batch.schema.get_field_index(name))
        self.present += len(cells) - cells.null_count
        if not pa.types.is_string(cells.type):
            return
        strays = pc.invert(pc.match_substring_regex(cells, _DIGITS)).fill_null(False)
        found = pc.sum(strays).as_py() or 0
        if found and self.first is None:
            row = pc.index(strays, True).as_py()
            self.first = (block.path, block.first_row + row, cells[row].as_py())
        self.strays += found

    def append(self, later: StrayCount) -> None:
        """Adds the rows that come after these rows in the table."""
        self.present += later.present
        self.strays += later.strays
        self.first = self.first or later.first


def find_number_columns(first: FileBlock, columns: Sequence[str]) -> set[str]:
    """Returns the columns in which at least 99 % of the first block's values consist of digits.

    Columns of booleans, dates and times are none: no word of theirs is a mistake.
    """
    counts = {name: StrayCount() for name in columns if _may_be_numbers(first, name)}
    for name, count in counts.items():
        count.add(first, name)
    return {name for name, c in counts.items() if c.strays <= _MOST_IN_FIRST_BLOCK * c.present}


def _may_be_numbers(first: FileBlock, name: str) -> bool:
    kind = first.batch.schema.field(name).type
    return not (pa.types.is_boolean(kind) or pa.types.is_temporal(kind))


def count_stray_text(
    sources: Sequence[TableSource], data: DataConfig, counts: Mapping[str, StrayCount]
) -> None:
    """Adds the rows to the counts of columns."""
    for block in iter_blocks(sources, data, list(counts)):
        for name, count in counts.items():
            count.add(block, name)


def refuse_stray_text(counts: Mapping[str, StrayCount], data: DataConfig) -> None:
    """Raises DataError if a column has text, but in at most one of a thousand values."""
    for name, count in sorted(counts.items()):
        if count.first is not None and count.strays <= _MOST_STRAYS * count.present:
            path, row, text = count.first
            key = dotted(("data", "types", name))
            raise DataError(
                f"{describe_place(path, row, data)}: column '{name}': {text!r} stands among "
                f"numbers ({count.strays:,} such cells of {count.present:,})",
                f"correct it, or set {key} to string if the column is text; for numbers, "
                "set the kind numeric and add the texts of missing values to data.csv.missing",
            )
