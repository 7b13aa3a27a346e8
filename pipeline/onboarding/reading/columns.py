"""One column of the sample, with the facts that guesses are based on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from components.tables.cell_hash import hash_rows
from pipeline.config import CsvConfig
from pipeline.onboarding.reading.arrays import Floats, Integers
from pipeline.onboarding.reading.missing_markers import Markers
from pipeline.onboarding.reading.number_parsing import parse_numbers
from pipeline.onboarding.reading.scan import ColumnScan, Scan

_PLAIN_NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"
"""What the preprocessing makes a number of, should the column be text."""
_MANY_NUMBERS = 100
"""So many texts the gate takes for all there can be; with more, a new one is no news."""


@dataclass(frozen=True, eq=False)
class Column:
    """The sample's cells of a column, and what was counted in it over all rows."""

    name: str
    cells: pa.Array
    """Text [sampled rows]; null where the value is missing."""
    scan: ColumnScan
    rows: int
    """The rows of the whole table."""
    missing: int
    """The rows of the whole table without a value; an estimate for text if there are markers."""
    is_number: bool
    """Whether all values of the whole table are numbers."""
    csv: CsvConfig
    """How numbers are written."""
    different_rows: Integers
    """int64 [different sampled rows]: the position of one of each; all if most have an equal."""

    @property
    def observed(self) -> int:
        """The rows of the whole table with a value."""
        return self.rows - self.missing

    @property
    def is_sampled(self) -> bool:
        return len(self.cells) < self.rows

    @cached_property
    def _encoded(self) -> pa.DictionaryArray:
        return self.cells.dictionary_encode()

    @cached_property
    def categories(self) -> list[str]:
        """The different values in the sample, as text."""
        return [str(v) for v in self._encoded.dictionary.to_pylist()]

    @cached_property
    def codes(self) -> Integers:
        """int64 [sampled rows]: each value's position in `categories`, -1 if it is missing."""
        indices = self._encoded.indices.fill_null(-1)
        codes: Integers = indices.to_numpy(zero_copy_only=False).astype(np.int64)
        return codes

    @cached_property
    def counts(self) -> Integers:
        """int64 [categories]: how often each occurs in the sample."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.categories))

    @cached_property
    def distinct(self) -> int:
        """The different values of the whole table: counted, or estimated from the sample.

        Chao's estimate: the values seen once, against those seen twice, tell how many are unseen.
        """
        if not self.is_sampled:
            return len(self.categories)
        once, twice = int((self.counts == 1).sum()), int((self.counts == 2).sum())
        return min(self.observed, len(self.categories) + once * once // (2 * max(twice, 1)))

    @cached_property
    def distinct_share(self) -> float:
        """The share of different values among the sample's values: 1 if all differ.

        Of rows that are equal altogether one counts: an identifier stays one in a table that was
        joined with itself.
        """
        return len(self.categories) / max(int((self.codes[self.different_rows] >= 0).sum()), 1)

    @cached_property
    def is_mostly_numbers(self) -> bool:
        """Whether there are many numbers, but also cells that the ExampleGen would refuse."""
        if self.is_number or len(self.categories) <= _MANY_NUMBERS:
            return False
        plain = pc.match_substring_regex(self.cells, _PLAIN_NUMBER).fill_null(False)
        # Of others the preprocessing, which knows no thousands or units, would lose the value.
        if (~np.isnan(self.values) & ~plain.to_numpy(zero_copy_only=False)).any():
            return False
        return bool(
            pc.mean(plain.filter(self.cells.is_valid())).as_py()
            >= (0.9 if self.scan.is_text else 0.5)
        )

    @cached_property
    def values(self) -> Floats:
        """float64 [sampled rows]; NaN where the value is missing, or no number."""
        return parse_numbers(self.cells, self.csv).values

    def number_in(self, text: str) -> float:
        """The number that one of the values stands for; NaN if it is none."""
        return float(parse_numbers(pa.array([text]), self.csv).values[0])

    @cached_property
    def numbers(self) -> Floats:
        """float64 [sampled values]: `values` without the missing ones."""
        return self.values[~np.isnan(self.values)]


def make_columns(scan: Scan, markers: Markers, csv: CsvConfig) -> dict[str, Column]:
    """The table's columns by name."""
    missing = set(markers.missing.value)
    different = _different_rows(scan.sample)
    return {name: _make_column(name, scan, missing, csv, different) for name in scan.columns}


def _different_rows(sample: pa.Table) -> Integers:
    batches = sample.to_batches()
    hashes = [hash_rows(b, b.schema.names, seed=0) for b in batches]
    _, first = np.unique(np.concatenate([*hashes, np.zeros(0, np.uint64)]), return_index=True)
    # A table of few kinds of rows, each often, has no identifiers to be found.
    is_copied = len(first) >= sample.num_rows / 2
    positions: Integers = np.sort(first) if is_copied else np.arange(sample.num_rows)
    return positions


def _make_column(
    name: str, scan: Scan, markers: set[str], csv: CsvConfig, different: Integers
) -> Column:
    counted = scan.columns[name]
    cells = _as_array(scan.sample.column(name))
    is_number = not counted.is_text and counted.numbers > 0 and counted.odd.keys() <= markers
    if is_number:
        known = ~np.isnan(parse_numbers(cells, csv).values)
        cells = pc.if_else(pa.array(known), cells, pa.scalar(None, pa.string()))
        missing = scan.rows - counted.numbers
    else:
        marked = pc.is_in(cells, pa.array(sorted(markers), pa.string()))
        cells = pc.if_else(marked, pa.scalar(None, pa.string()), cells)
        missing = max(counted.missing, round(cells.null_count / max(len(cells), 1) * scan.rows))
    return Column(name, cells, counted, scan.rows, missing, is_number, csv, different)


def _as_array(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], pa.string())
