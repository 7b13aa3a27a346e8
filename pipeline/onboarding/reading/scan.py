"""One pass over all rows in bounded memory: exact counts of what must hold for every row, and a
random sample for everything else.

A class that occurs once in ten million rows, or a single word in a column of numbers, would end a
run; so labels and numbers are looked at in every row. What is only a matter of degree (how many
values differ, how skewed they are, what predicts the label) is estimated from the sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.config import CsvConfig
from pipeline.onboarding.reading.number_parsing import parse_numbers

SAMPLE_ROWS = 200_000
_SAMPLE_BYTES = 1 << 28
_MOST_ODD = 100
MOST_LABELS = 20_000


@dataclass
class ColumnScan:
    """What was counted in one column, over all rows."""

    missing: int = 0
    numbers: int = 0
    odd: Counter[str] = field(default_factory=Counter)
    """The cells that are no numbers, until there are so many kinds that the column is text."""
    is_text: bool = False
    integral: bool = True
    low: float = np.inf
    high: float = -np.inf

    def add(self, cells: pa.Array, csv: CsvConfig) -> None:
        """Counts one block's cells, text [rows]."""
        self.missing += cells.null_count
        if self.is_text or cells.null_count == len(cells):
            return
        parsed = parse_numbers(cells, csv)
        values = parsed.values[~np.isnan(parsed.values)]
        self.numbers += len(values)
        self.odd.update(_count_values(parsed.odd))
        self.is_text = len(self.odd) > _MOST_ODD
        if len(values):
            self.low = min(self.low, float(values.min()))
            self.high = max(self.high, float(values.max()))
            self.integral = self.integral and bool((values == np.floor(values)).all())


@dataclass
class Scan:
    """The whole table: its size, its columns' counts, its label's values, and a sample."""

    rows: int
    columns: dict[str, ColumnScan]
    labels: Counter[str]
    """How often each value of the label occurs, missing ones apart; see `labels_complete`."""
    labels_complete: bool
    """Whether all values were counted; beyond `MOST_LABELS` different ones, counting stops."""
    sample: pa.Table
    """Text columns, every row of the table with the same chance of being in it."""


def scan_blocks(blocks: Iterable[pa.RecordBatch], label: str, csv: CsvConfig) -> Scan:
    """Scans a table given as blocks of text columns, the same in each."""
    rows = 0
    columns: dict[str, ColumnScan] = {}
    labels: Counter[str] = Counter()
    sampler = _Sampler()
    for block in blocks:
        rows += block.num_rows
        for name, cells in zip(block.schema.names, block.columns, strict=True):
            columns.setdefault(name, ColumnScan()).add(cells, csv)
            if name == label and len(labels) <= MOST_LABELS:
                labels.update(_count_values(cells))
        sampler.add(block)
    return Scan(rows, columns, labels, len(labels) <= MOST_LABELS, sampler.table())


class _Sampler:
    """Keeps each row with the same probability, halved whenever the sample grows too large."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)
        self._share = 1.0
        self._kept: list[pa.RecordBatch] = []

    def add(self, block: pa.RecordBatch) -> None:
        self._kept.append(self._thin(block, self._share))
        while self._too_large():
            self._share /= 2
            self._kept = [self._thin(b, 0.5) for b in self._kept]

    def table(self) -> pa.Table:
        return pa.Table.from_batches(self._kept) if self._kept else pa.table({})

    def _thin(self, block: pa.RecordBatch, share: float) -> pa.RecordBatch:
        if share == 1:
            return block
        return block.filter(pa.array(self._random.random(block.num_rows) < share))

    def _too_large(self) -> bool:
        rows = sum(b.num_rows for b in self._kept)
        size = sum(b.nbytes for b in self._kept)
        return bool(rows > SAMPLE_ROWS or (rows > 1 and size > _SAMPLE_BYTES))


def _count_values(cells: pa.Array) -> dict[str, int]:
    counts = pc.value_counts(cells.drop_null())
    return dict(zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True))
