"""Columns of one type side by side in one matrix.

Rows in random order are gathered from memory that no cache holds: one reach for each row and type
takes a fifth of the time of one for each row and column.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import tensorflow as tf

Columns = dict[str, npt.NDArray[np.generic]]
"""Rows by column: [rows, width] each."""
Matrices = dict[str, npt.NDArray[np.generic]]
"""Rows by type: [rows, sum of the widths of its columns] each."""


class Layout:
    """Which columns lie in which matrix, in which order."""

    def __init__(self, spec: Mapping[str, tf.io.FixedLenFeature]) -> None:
        self._widths: dict[str, dict[str, int]] = {}
        for name, feature in spec.items():
            (width,) = feature.shape
            self._widths.setdefault(feature.dtype.name, {})[name] = width

    @property
    def signature(self) -> dict[str, tf.TensorSpec]:
        """The form of a batch of rows."""
        return {
            dtype: tf.TensorSpec([None, sum(widths.values())], dtype)
            for dtype, widths in self._widths.items()
        }

    def empty(self, row_count: int) -> Matrices:
        """Room for so many rows."""
        return {
            dtype: np.empty((row_count, sum(widths.values())), dtype)
            for dtype, widths in self._widths.items()
        }

    def views(self, matrices: Matrices) -> Columns:
        """Each column's part of its matrix, to be read or filled in place."""
        columns: Columns = {}
        for dtype, widths in self._widths.items():
            ends = np.cumsum(list(widths.values()))
            columns |= zip(widths, np.split(matrices[dtype], ends[:-1], axis=1), strict=True)
        return columns

    def split(self, batch: Mapping[str, tf.Tensor]) -> dict[str, tf.Tensor]:
        """The columns of a batch of rows."""
        columns: dict[str, tf.Tensor] = {}
        for dtype, widths in self._widths.items():
            parts = tf.split(batch[dtype], list(widths.values()), axis=1)
            columns |= zip(widths, parts, strict=True)
        return columns
