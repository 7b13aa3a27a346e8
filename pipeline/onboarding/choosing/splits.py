"""Chooses shares, key and seed of the split, and counts the rows that each split gets.

Small tables are divided with ExampleGen's own splitter. A row's split depends only on its content
and the seed, so a seed can be chosen with which every split has rows of every class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from components.tables.file_block import FileBlock
from components.tables.readers import common_columns
from components.tables.sources.table_path import TablePath
from components.tables.splitting.cell_hash import hash_rows
from components.tables.splitting.splits import KeySplitter, RowSplitter, Splitter
from components.tables.typed_table import TypedTable, infer_types
from pipeline.config import Config, LabelConfig, SplitConfig
from pipeline.core.contracts import Split
from pipeline.core.errors import DataError
from pipeline.core.text import counted
from pipeline.onboarding.choosing.division import Division
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.label import Label
from pipeline.onboarding.reading.arrays import Flags, Floats, Integers
from pipeline.onboarding.reading.columns import Column

_SMALL = 1000
"""Rows below which eval and test get a fifth each: a tenth would be fewer than 100 rows."""
_MEDIUM = 5000
"""Rows below which eval and test get 15 % each: a tenth would be fewer than 500 rows."""
_LARGE = 1_000_000
"""Rows from which eval and test get 5 % each: 50,000 rows measure well enough."""
_FEW_OF_CLASS = 300
"""Rows of the rarer of two classes below which eval and test get a fifth each: a tenth would be
fewer than 30 rows of the class."""
MOST_ROWS_DIVIDED = 50_000
"""Bounds the time of trying seeds; in longer tables, the shares hold for nearly any seed."""
_SEEDS = 20
"""Seeds that are tried: bounds the time if no seed gives every split every class."""


@dataclass(frozen=True)
class SplitCounts:
    """A split, and the rows that each part gets."""

    split: SplitConfig
    counts: Integers
    """int64 [splits, classes]: the labelled rows; regression has one class."""
    repeated: int = 0
    """The rows that equal an earlier row."""
    is_estimate: bool = False
    """Whether `counts` follow from the shares alone: the rows were not divided."""

    @property
    def rows(self) -> dict[str, int]:
        """The rows of each split."""
        return dict(zip(Split.ALL, self.counts.sum(axis=1).tolist(), strict=True))

    @property
    def shortfalls(self) -> int:
        """How many times a split has less than half of the rows of a class that it is due."""
        shares = np.array([[self.split.train], [self.split.eval], [self.split.test]])
        due = shares * self.counts.sum(axis=0)
        return int((self.counts < due / 2).sum())


def guess_split(label: Label, division: Division) -> Guess[SplitConfig]:
    """Returns the shares of the splits; small tables need larger shares to measure anything."""
    reason = _explain_small(label)
    train, eval_, test = 0.8, 0.1, 0.1
    if reason:
        train, eval_, test = 0.6, 0.2, 0.2
    elif sum(label.counts) < _MEDIUM:
        train, eval_, test = 0.7, 0.15, 0.15
    elif sum(label.counts) >= _LARGE:
        train, eval_, test = 0.9, 0.05, 0.05
    split = SplitConfig(by=division.by, column=division.column, train=train, eval=eval_, test=test)
    return Guess(split, reason or f"shares for {counted(sum(label.counts), 'labelled row')}")


def choose_seed(config: Config, paths: Sequence[TablePath]) -> SplitCounts:
    """Divides a small table with one seed after the other, until no split lacks a class.

    Returns the split with the fewest shortfalls.
    """
    blocks = _read_labelled_rows(config, paths)
    trials = (_divide(config, seed, blocks) for seed in range(_SEEDS))
    best = next(trials)
    for trial in trials:
        if not best.shortfalls:
            break
        best = min(best, trial, key=lambda t: t.shortfalls)
    hashes = np.concatenate([hash_rows(b.batch, b.batch.schema.names, 0, b.exact) for b in blocks])
    return replace(best, repeated=len(hashes) - len(np.unique(hashes)))


def estimate_counts(label: Label, split: SplitConfig) -> SplitCounts:
    """Returns the rows that the splits of a large table will have, up to chance."""
    shares = np.array([[split.train], [split.eval], [split.test]])
    due = shares * np.array([label.counts])
    # A class that is due less than a row may well have none.
    counts = np.where(due < 1, 0, np.round(due)).astype(np.int64)
    return SplitCounts(split, counts, is_estimate=True)


def count_by_time(label: Label, column: Column, times: Floats, split: SplitConfig) -> SplitCounts:
    """Returns the rows of a split by time; an estimate if the table was sampled.

    Args:
      label: the label.
      column: the label's column.
      times: float64 [sampled rows], NaN where the time is missing.
      split: the shares.

    Raises:
      DataError: the labelled rows have fewer than three different times.
    """
    classes = _find_sampled_classes(label, column)
    bounds = _find_time_bounds(times[(classes >= 0) & ~np.isnan(times)], split)
    # Rows without a time are in train: they compare as not later.
    splits = sum((times > bound).astype(np.int64) for bound in bounds)
    width = max(len(label.classes.value), 1)
    cells = (splits * width + classes)[classes >= 0]
    counts = np.bincount(cells, minlength=len(Split.ALL) * width).reshape(-1, width)
    if column.is_sampled:
        counts = np.round(counts * (column.rows / len(column.cells))).astype(np.int64)
    return SplitCounts(split, counts, is_estimate=column.is_sampled)


def select_train_by_time(label: Label, column: Column, times: Floats, split: SplitConfig) -> Flags:
    """Returns which sampled rows a split by time puts into train; see `count_by_time`."""
    is_timed = (_find_sampled_classes(label, column) >= 0) & ~np.isnan(times)
    last, _ = _find_time_bounds(times[is_timed], split)
    # Rows without a time are in train: they compare as not later.
    return ~(times > last)


def _find_sampled_classes(label: Label, column: Column) -> Integers:
    """Returns int64 [sampled rows]: the position of each row's class, -1 without a label."""
    position = {c: i for i, c in enumerate(label.classes.value)}
    of_codes = [position.get(c, -1 if position else 0) for c in column.categories]
    classes: Integers = np.array([*of_codes, -1])[column.codes]
    return classes


def _find_time_bounds(times: Floats, split: SplitConfig) -> tuple[float, float]:
    """Returns the last time of train and of eval, as near to the shares as equal times allow."""
    values, counts = np.unique(times, return_counts=True)
    if len(values) < len(Split.ALL):
        raise DataError(
            f"the rows with a label have {counted(len(values), 'different time')}",
            "train, eval and test need one each: name another --time-column",
        )
    rows = np.cumsum(counts)
    train = int(np.abs(rows[:-2] - split.train * rows[-1]).argmin())
    later = rows[train + 1 : -1] - (split.train + split.eval) * rows[-1]
    return float(values[train]), float(values[train + 1 + int(np.abs(later).argmin())])


def _read_labelled_rows(config: Config, paths: Sequence[TablePath]) -> list[FileBlock]:
    """Returns the rows with a label, with the column types that ExampleGen uses."""
    columns = common_columns(paths, config.data)
    known = {name: kind for name, kind in config.column_types().items() if name in columns}
    inferred = infer_types(paths, config.data, [name for name in columns if name not in known])
    blocks = TypedTable(paths, config.data, known, inferred).blocks()
    return [b.filter(pc.is_valid(_get_column(b.batch, config.label.column))) for b in blocks]


def _divide(config: Config, seed: int, blocks: Sequence[FileBlock]) -> SplitCounts:
    split = config.data.split.model_copy(update={"seed": seed})
    if split.column:
        splitter: Splitter = KeySplitter(split, split.column)
    else:
        splitter = RowSplitter(split, config.label.column)
    width = max(len(config.label.classes), 1)
    counts = np.zeros(len(Split.ALL) * width, np.int64)
    for block in blocks:
        positions = _find_classes(block.batch, config.label)
        cells = splitter.assign(block.batch, block.exact).astype(np.int64) * width + positions
        counts += np.bincount(cells, minlength=len(counts))
    return SplitCounts(split, counts.reshape(len(Split.ALL), width))


def _find_classes(batch: pa.RecordBatch, label: LabelConfig) -> Integers:
    """Returns int64 [rows]: the position of each row's class; 0 for regression."""
    if not label.classes:
        return np.zeros(batch.num_rows, np.int64)
    indices = pc.index_in(_get_column(batch, label.column), pa.array(label.classes))
    positions: Integers = indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return positions


def _get_column(batch: pa.RecordBatch, name: str) -> pa.Array:
    return batch.column(batch.schema.get_field_index(name))


def _explain_small(label: Label) -> str:
    """Returns why a table needs the largest eval and test splits, or an empty string."""
    rows = sum(label.counts)
    if rows < _SMALL:
        return f"of {counted(rows, 'row')}, a tenth would be too few to measure on"
    if label.task.value == "binary" and min(label.counts) < _FEW_OF_CLASS:
        return f"only {counted(min(label.counts), 'row')} of the rarer class"
    return ""
