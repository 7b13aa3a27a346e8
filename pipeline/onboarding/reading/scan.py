"""Reads all rows in one pass and in bounded memory: exact counts, and a random sample.

Labels and numbers are counted in every row: a class that occurs once in ten million rows, or a
single word in a column of numbers, would end a run. Everything else is a matter of degree (how
many values differ, how skewed numbers are, what predicts the label) and is estimated from the
sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.config import CsvConfig
from pipeline.onboarding.reading.arrays import Flags
from pipeline.onboarding.reading.number_parsing import parse_numbers

SAMPLE_ROWS = 200_000
"""Bounds the seconds that `init` takes on long tables."""
_SAMPLE_BYTES = 1 << 28
"""256 MiB bound the memory of the sample where cells are long."""
_MOST_NON_NUMBERS = 100
"""A column with more different cells that are no numbers is text: nobody uses as many markers of
missing values. Bounds the memory of the counter."""
MOST_LABELS = 20_000
"""Bounds the memory of the label's counter; it is a hundred times the most classes allowed."""


@dataclass
class ColumnScan:
    """Counts of one column over all rows."""

    missing: int = 0
    numbers: int = 0
    non_numbers: Counter[str] = field(default_factory=Counter)
    """How often each cell that is no number occurs; counting stops once the column is text."""
    is_text: bool = False
    is_integral: bool = True
    low: float = np.inf
    high: float = -np.inf

    def add(self, cells: pa.Array, csv: CsvConfig) -> None:
        """Counts the cells of one block, text [rows]."""
        self.missing += cells.null_count
        if self.is_text or cells.null_count == len(cells):
            return
        parsed = parse_numbers(cells, csv)
        values = parsed.values[~np.isnan(parsed.values)]
        self.numbers += len(values)
        self.non_numbers.update(_count_values(parsed.non_numbers))
        self.is_text = len(self.non_numbers) > _MOST_NON_NUMBERS
        if len(values):
            self.low = min(self.low, float(values.min()))
            self.high = max(self.high, float(values.max()))
            self.is_integral = self.is_integral and bool((values == np.floor(values)).all())


@dataclass
class Scan:
    """The facts about a whole table."""

    rows: int
    columns: dict[str, ColumnScan]
    labels: Counter[str]
    """How often each value of the label occurs; missing labels are not counted."""
    labels_complete: bool
    """Whether `labels` has all values: counting stops beyond `MOST_LABELS` different values."""
    sample: pa.Table
    """Columns of text; every row of the table has the same chance to be in the sample."""


def scan_blocks(blocks: Iterable[pa.RecordBatch], label_column: str, csv: CsvConfig) -> Scan:
    """Scans a table, given as blocks of text columns with the same names in each block."""
    rows = 0
    columns: dict[str, ColumnScan] = {}
    labels: Counter[str] = Counter()
    sampler = _Sampler()
    for block in blocks:
        rows += block.num_rows
        for name, cells in zip(block.schema.names, block.columns, strict=True):
            columns.setdefault(name, ColumnScan()).add(cells, csv)
            if name == label_column and len(labels) <= MOST_LABELS:
                labels.update(_count_values(cells))
        sampler.add(block)
    return Scan(rows, columns, labels, len(labels) <= MOST_LABELS, sampler.to_table())


class _Sampler:
    """Keeps each row with the same probability.

    The probability is halved, also for the rows kept so far, whenever the sample grows too large.
    """

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)
        self._share = 1.0
        self._kept: list[pa.RecordBatch] = []

    def add(self, block: pa.RecordBatch) -> None:
        self._kept.append(self._draw_rows(block, self._share))
        while self._is_too_large():
            self._share /= 2
            self._kept = [self._draw_rows(b, 0.5) for b in self._kept]

    def to_table(self) -> pa.Table:
        return pa.Table.from_batches(self._kept) if self._kept else pa.table({})

    def _draw_rows(self, block: pa.RecordBatch, share: float) -> pa.RecordBatch:
        if share == 1:
            return block
        drawn: Flags = self._random.random(block.num_rows) < share
        return block.filter(pa.array(drawn))

    def _is_too_large(self) -> bool:
        rows = sum(b.num_rows for b in self._kept)
        size = sum(b.nbytes for b in self._kept)
        return bool(rows > SAMPLE_ROWS or (rows > 1 and size > _SAMPLE_BYTES))


def _count_values(cells: pa.Array) -> dict[str, int]:
    counts = pc.value_counts(cells.drop_null())
    return dict(zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True))
