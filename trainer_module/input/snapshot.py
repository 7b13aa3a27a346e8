"""Parsed examples on this machine's disk, to be read in each epoch instead of parsed again."""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import ExitStack

import numpy as np

from pipeline.config.faults import DISK_FULL, comes_from
from trainer_module.input.packed import Columns, Layout, Matrices, Rows

_BLOCK_BYTES = 4 << 20
"""Read at a time: rows stay together in blocks of this size, as in Parquet's row groups."""


class Snapshot:
    """Rows in files without names, which are gone when the process is, however it ends."""

    def __init__(self, layout: Layout, pieces: Iterable[Columns]) -> None:
        """Writes the pieces one after the other; OSError where the disk has no room for them."""
        with ExitStack() as stack:
            files = {
                dtype: stack.enter_context(tempfile.TemporaryFile()) for dtype in layout.signature
            }
            for piece in pieces:
                for dtype, matrix in layout.pack(piece).items():
                    files[dtype].write(matrix.data)
            self._matrices: Matrices = {}
            for dtype, spec in layout.signature.items():
                files[dtype].flush()
                rows = np.memmap(files[dtype], dtype, "r")
                self._matrices[dtype] = rows.reshape(-1, spec.shape[1])

    @property
    def blocks(self) -> tuple[Rows, ...]:
        """All rows, cut into pieces that are read at once."""
        row_bytes = sum(matrix[0].nbytes for matrix in self._matrices.values())
        row_count = len(next(iter(self._matrices.values())))
        size = max(_BLOCK_BYTES // row_bytes, 1)
        return tuple(
            Rows(start, min(start + size, row_count)) for start in range(0, row_count, size)
        )

    def read(self, blocks: Sequence[Rows]) -> Matrices:
        """The rows of the blocks, in memory."""
        return {
            dtype: np.concatenate([matrix[block.start : block.stop] for block in blocks])
            for dtype, matrix in self._matrices.items()
        }


def try_snapshot(layout: Layout, pieces: Iterable[Columns], size: int) -> Snapshot | None:
    """The snapshot of `size` bytes, or None where that would fill the disk of temporary files.

    Half of what is free is left to others: the run's own backups may lie there too.
    """
    directory = tempfile.gettempdir()
    if 2 * size <= shutil.disk_usage(directory).free:
        try:
            return Snapshot(layout, pieces)
        except OSError as error:
            if not comes_from(error, DISK_FULL):
                raise
    logging.warning(
        "%s has no room for %s MB of parsed examples; they are parsed in each epoch",
        directory,
        f"{size / 1e6:,.0f}",
    )
    return None
