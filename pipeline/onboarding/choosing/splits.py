"""How the rows are divided, and the proof that the division is good for something.

The splitter of the ExampleGen itself is run on small tables: a row's split depends on nothing but
its content and the seed, so a seed can be chosen with which no split is empty or lacks a class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from components.tables.cell_hash import hash_rows
from components.tables.readers import common_columns
from components.tables.splits import SPLITS, KeySplitter, RowSplitter, Splitter
from components.tables.typed_table import TypedTable, infer_types
from pipeline.config import Config, LabelConfig, SplitConfig
from pipeline.core.text import counted
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.label import Label
from pipeline.onboarding.judging.name_hints import names_entity
from pipeline.onboarding.reading.arrays import Integers
from pipeline.onboarding.reading.columns import Column

_SMALL = 1000
_MEDIUM = 5000
_LARGE = 1_000_000
_FEW_OF_CLASS = 300
MOST_REHEARSED = 50_000
_SEEDS = 20
_FEWEST_KEYS = 100
_ROWS_A_KEY = 1.5
_LARGEST_KEY = 0.05


@dataclass(frozen=True)
class Rehearsal:
    """What came out when the table was divided as proposed."""

    split: SplitConfig
    counts: Integers
    """int64 [splits, classes]: the labelled rows; for regression there is one class."""
    repeated: int = 0
    """The rows that equal an earlier one."""

    @property
    def rows(self) -> dict[str, int]:
        """The rows of each split."""
        return dict(zip(SPLITS, self.counts.sum(axis=1).tolist(), strict=True))

    @property
    def shortfalls(self) -> int:
        """How many times a split has none of a class, or less than half of what is due."""
        shares = np.array([[self.split.train], [self.split.eval], [self.split.test]])
        due = shares * self.counts.sum(axis=0)
        return int((self.counts < due / 2).sum())


def find_key(columns: Mapping[str, Column], label: str) -> str | None:
    """The column that names somebody who has several rows, if there is one."""
    keys = [n for n, c in columns.items() if n != label and names_entity(n) and _repeats(c)]
    return max(keys, key=lambda n: columns[n].distinct, default=None)


def guess_split(label: Label, key: str | None) -> Guess[SplitConfig]:
    """The shares: the fewer rows, the more of them are needed to measure anything."""
    small, why = _is_small(label)
    train, eval_, test = 0.8, 0.1, 0.1
    if small:
        train, eval_, test = 0.6, 0.2, 0.2
    elif sum(label.counts) < _MEDIUM:
        train, eval_, test = 0.7, 0.15, 0.15
    elif sum(label.counts) >= _LARGE:
        train, eval_, test = 0.9, 0.05, 0.05
    by = SplitConfig(by="key" if key else "row", column=key, train=train, eval=eval_, test=test)
    return Guess(by, why or f"{counted(sum(label.counts), 'row')} with a label")


def rehearse(config: Config, paths: Sequence[Path]) -> Rehearsal:
    """Divides a small table with one seed after the other, until every split has of every class.

    Returns the division with the fewest shortfalls.
    """
    batches = _labelled_rows(config, paths)
    trials = (_divide(config, seed, batches) for seed in range(_SEEDS))
    best = next(trials)
    for trial in trials:
        if not best.shortfalls:
            break
        best = min(best, trial, key=lambda t: t.shortfalls)
    hashes = np.concatenate([hash_rows(b, b.schema.names, seed=0) for b in batches])
    return replace(best, repeated=len(hashes) - len(np.unique(hashes)))


def expect(label: Label, split: SplitConfig) -> Rehearsal:
    """What a division of a large table will give, up to chance."""
    shares = np.array([[split.train], [split.eval], [split.test]])
    return Rehearsal(split, np.floor(shares * np.array([label.counts])).astype(np.int64))


def _labelled_rows(config: Config, paths: Sequence[Path]) -> list[pa.RecordBatch]:
    """The rows as the ExampleGen divides them."""
    columns = common_columns(paths, config.data)
    given = {name: kind for name, kind in config.column_types().items() if name in columns}
    open_columns = [name for name in columns if name not in given]
    inferred = infer_types(paths, config.data, open_columns)
    blocks = TypedTable(paths, config.data, given, inferred).blocks()
    return [b.batch.filter(pc.is_valid(_column(b.batch, config.label.column))) for b in blocks]


def _divide(config: Config, seed: int, batches: Sequence[pa.RecordBatch]) -> Rehearsal:
    split = config.data.split.model_copy(update={"seed": seed})
    if split.column:
        splitter: Splitter = KeySplitter(split, split.column)
    else:
        splitter = RowSplitter(split, config.label.column)
    width = max(len(config.label.classes), 1)
    counts = np.zeros(len(SPLITS) * width, np.int64)
    for batch in batches:
        numbers = _class_numbers(batch, config.label)
        cells = splitter.assign(batch).astype(np.int64) * width + numbers
        counts += np.bincount(cells, minlength=len(counts))
    return Rehearsal(split, counts.reshape(len(SPLITS), width))


def _class_numbers(batch: pa.RecordBatch, label: LabelConfig) -> Integers:
    """int64 [rows]: the position of each row's class, 0 for regression."""
    if not label.classes:
        return np.zeros(batch.num_rows, np.int64)
    positions = pc.index_in(_column(batch, label.column), pa.array(label.classes))
    numbers: Integers = positions.to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers


def _column(batch: pa.RecordBatch, name: str) -> pa.Array:
    return batch.column(batch.schema.get_field_index(name))


def _is_small(label: Label) -> tuple[bool, str]:
    rows = sum(label.counts)
    if rows < _SMALL:
        return True, f"with {counted(rows, 'row')}, a tenth would be too few to measure on"
    if label.task.value == "binary" and min(label.counts) < _FEW_OF_CLASS:
        return True, f"only {counted(min(label.counts), 'row')} of the rarer class"
    return False, ""


def _repeats(column: Column) -> bool:
    if column.distinct < _FEWEST_KEYS or column.missing > 0.01 * column.rows:
        return False
    largest = column.counts.max() / max(column.counts.sum(), 1)
    return column.observed >= _ROWS_A_KEY * column.distinct and largest <= _LARGEST_KEY
