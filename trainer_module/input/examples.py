"""Reads the examples that Transform wrote, always as Parquet, through Arrow."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
import tensorflow as tf

from pipeline.core.errors import DataError
from trainer_module.input.column_layout import Columns, Layout, Matrices
from trainer_module.names import LABEL_KEY

FeatureSpec = Mapping[str, tf.io.FixedLenFeature]
"""Width and dtype of each column by name, as Transform declares them."""


@dataclass(frozen=True)
class RowGroup:
    """The rows from `start` to `stop` of row group `index` of a Parquet file."""

    path: str
    index: int
    start: int
    stop: int

    @property
    def row_count(self) -> int:
        return self.stop - self.start


class Examples:
    """One split of the transformed examples.

    Each cell of a Parquet column is a list whose length is the column's width.
    """

    def __init__(self, files: Sequence[str], spec: FeatureSpec) -> None:
        self.files = tuple(files)
        self.spec = dict(spec)
        self.layout = Layout(self.spec)

    @cached_property
    def row_groups(self) -> tuple[RowGroup, ...]:
        return tuple(group for path in self.files for group in _list_row_groups(path))

    @property
    def row_count(self) -> int:
        return sum(group.row_count for group in self.row_groups)

    @property
    def row_bytes(self) -> int:
        """Bytes of one row in memory."""
        sizes = (f.dtype.size * int(np.prod(f.shape)) for f in self.spec.values())
        return sum(sizes)

    @cached_property
    def labels(self) -> npt.NDArray[np.generic]:
        """The encoded label of every row, [rows]."""
        return self.column(LABEL_KEY)

    def column(self, name: str) -> npt.NDArray[np.generic]:
        """Returns the values of a column of width 1, [rows]."""
        (values,) = _read_row_groups(self.row_groups, {name: self.spec[name]}).values()
        return values[:, 0]

    def load(self, start: int, stop: int) -> Matrices:
        """Reads the rows from `start` to `stop`, `stop` excluded, into the matrices of `layout`."""
        return self.read(self.groups_between(start, stop))

    def groups_between(self, start: int, stop: int) -> tuple[RowGroup, ...]:
        """Returns the row groups, or parts of them, that hold the rows from `start` to `stop`."""
        parts, offset = [], 0
        for group in self.row_groups:
            low, high = max(start - offset, 0), min(stop - offset, group.row_count)
            if low < high:
                parts.append(RowGroup(group.path, group.index, low, high))
            offset += group.row_count
        return tuple(parts)

    def sample(self, names: Sequence[str], most_rows: int) -> Columns:
        """Reads some columns of every n-th row group: of about `most_rows` rows, or of all rows."""
        step = max(1, math.ceil(self.row_count / most_rows))
        spec = {name: self.spec[name] for name in names}
        return Layout(spec).views(_read_row_groups(self.row_groups[::step], spec))

    def read(self, groups: Sequence[RowGroup]) -> Matrices:
        """Reads row groups, one after the other, into the matrices of `layout`."""
        return _read_row_groups(groups, self.spec)


def open_examples(patterns: Sequence[str], spec: FeatureSpec) -> Examples:
    """Opens the Parquet files that match `patterns`.

    Raises:
      DataError: no file matches, or the files have no rows.
    """
    files = sorted(path for pattern in patterns for path in tf.io.gfile.glob(pattern))
    examples = Examples(files, spec)
    if not files or examples.row_count == 0:
        raise DataError(
            f"{', '.join(patterns)}: the split has no examples",
            "give it a larger share in data.split, or more data",
        )
    return examples


def _read_row_groups(groups: Sequence[RowGroup], spec: FeatureSpec) -> Matrices:
    """Reads row groups in parallel, each into its part of the matrices."""
    ends = np.cumsum([group.row_count for group in groups])
    layout = Layout(spec)
    matrices = layout.empty(int(ends[-1]))
    columns = layout.views(matrices)

    def fill(group: RowGroup, end: int) -> None:
        for name, values in _read_row_group(group, spec).items():
            columns[name][end - group.row_count : end] = values

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(fill, groups, ends))
    return matrices


def _list_row_groups(path: str) -> Iterator[RowGroup]:
    metadata = pq.read_metadata(path)
    for index in range(metadata.num_row_groups):
        yield RowGroup(path, index, 0, metadata.row_group(index).num_rows)


def _read_row_group(group: RowGroup, spec: FeatureSpec) -> Columns:
    table = pq.ParquetFile(group.path).read_row_group(
        group.index, columns=list(spec), use_threads=False
    )
    columns = {}
    for name, feature in spec.items():
        values = table.column(name).combine_chunks().flatten().to_numpy(zero_copy_only=False)
        columns[name] = values.reshape(-1, *feature.shape)[group.start : group.stop]
    return columns
