"""Reads parts of a table and writes their rows as shards, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from components.columnar_example_gen.label_checks import LabelCheck
from components.columnar_example_gen.parts import Part
from components.columnar_example_gen.shards import ShardWriter
from components.tables.file_block import FileBlock
from components.tables.splitting.splits import Splitter
from components.tables.typed_table import TypedTable
from pipeline.core.contracts import Split
from pipeline.core.threads import read_ahead

Shards = dict[str, tuple[list[str], int]]
"""The names of the shards of each split, in order, and the number of their rows."""


def write_parts(
    table: TypedTable,
    parts: Sequence[Part],
    splitter: Splitter,
    labels: LabelCheck,
    directories: Mapping[str, Path],
    *,
    attempt: str = "",
    is_whole: bool = True,
) -> Shards:
    """Writes the rows of consecutive parts; a shard has rows of one part only.

    Args:
      table: how the parts are read; its own sources do not count.
      labels: counts the labels.
      attempt: see `ShardWriter`.
      is_whole: whether the parts are a whole table that has no other parts.

    Raises:
      DataError: see `TypedTable.blocks` and `LabelCheck.keep_labelled_rows`.
      ContradictedTypeError: see `TypedTable.blocks`.
    """
    current = parts[0].index
    with ThreadPoolExecutor(len(Split.ALL)) as pool:
        writers = {name: ShardWriter(directories[name], pool, attempt) for name in Split.ALL}
        for part, block in read_ahead(_read_parts(table, parts)):
            if part != current:
                current = part
                for writer in writers.values():
                    writer.cut()
            divided = _split_block(labels.keep_labelled_rows(block), splitter)
            for writer, rows in zip(writers.values(), divided, strict=True):
                writer.add(rows)
            labels.add_training_rows(divided[0])
        is_single = is_whole and len(parts) == 1
        return {name: writer.close(is_whole=is_single) for name, writer in writers.items()}


def _read_parts(table: TypedTable, parts: Sequence[Part]) -> Iterator[tuple[int, FileBlock]]:
    """Yields the blocks of the parts, with the index of the part."""
    for part in parts:
        for block in replace(table, sources=part.sources).blocks():
            yield part.index, block


def _split_block(block: FileBlock, splitter: Splitter) -> list[pa.RecordBatch]:
    """Returns the rows of each split as copies, because views would keep the whole block."""
    splits = splitter.assign(block.batch, block.exact)
    order = np.argsort(splits, kind="stable")
    ends = np.cumsum(np.bincount(splits, minlength=len(Split.ALL)))[:-1]
    return [pc.take(block.batch, pa.array(rows)) for rows in np.split(order, ends)]
