"""Refuses a few words in a column of numbers, which would else quietly make it a column of text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from components.tables.file_block import FileBlock
from components.tables.readers import describe_place, iter_blocks
from pipeline.config import DataConfig
from pipeline.config.base import dotted
from pipeline.core.errors import DataError

_MOST_STRAYS = 0.001
_MOST_IN_FIRST_BLOCK = 0.01
# Made of digits and what may stand between them; codes such as 007 are no numbers, but no words.
_DIGITS = r"^\s*[+-]?[\d.,' ]*\d[\d.,' ]*([eE][+-]?\d+)?\s*$"


@dataclass
class _Count:
    """What was seen of a column."""

    present: int = 0
    strays: int = 0
    first: tuple[Path, int, str] | None = None
    """The first stray's file, row and text."""

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


def find_number_columns(first: FileBlock, columns: Sequence[str]) -> set[str]:
    """Those of `columns` of which the table's first block holds hardly anything but digits."""
    counts = {name: _Count() for name in columns}
    for name, count in counts.items():
        count.add(first, name)
    return {name for name, c in counts.items() if c.strays <= _MOST_IN_FIRST_BLOCK * c.present}


def refuse_stray_text(paths: Sequence[Path], data: DataConfig, columns: Collection[str]) -> None:
    """Raises DataError if at most one cell in a thousand of one of `columns` is text."""
    if not columns:
        return
    counts = {name: _Count() for name in sorted(columns)}
    for block in iter_blocks(paths, data, list(counts)):
        for name, count in counts.items():
            count.add(block, name)
    for name, count in counts.items():
        if count.first is not None and count.strays <= _MOST_STRAYS * count.present:
            path, row, text = count.first
            key = dotted(("data", "types", name))
            raise DataError(
                f"{describe_place(path, row, data)}: column '{name}': {text!r} stands among "
                f"numbers ({count.strays:,} such cells of {count.present:,})",
                f"correct it, or set {key} to string if the column is text; a number "
                "has the kind numeric, and what stands for a missing one is in data.csv.missing",
            )
