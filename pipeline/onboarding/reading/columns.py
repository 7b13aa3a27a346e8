"""One column of the sample, with the facts that guesses are based on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from components.tables.splitting.cell_hash import hash_rows
from pipeline.config import CsvConfig
from pipeline.onboarding.reading.arrays import Floats, Integers
from pipeline.onboarding.reading.missing_markers import NO_MARKERS, Markers
from pipeline.onboarding.reading.number_parsing import LARGEST, parse_numbers
from pipeline.onboarding.reading.scan import ColumnScan, Scan

_PLAIN_NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"
"""What Transform can parse as a number in a column of text."""
_MOST_CATEGORIES_OF_NUMBERS = 100
"""Numbers among words are read as text only in a column of more than 100 different values. The
anomaly gate takes up to 100 different texts for a closed set: it would report each new number."""
_FEWEST_NUMBERS_AMONG_TEXT = 0.9
"""Share of numbers in a column with over 100 different words: the words are not mere markers, so
nearly all other cells must be numbers."""
_FEWEST_NUMBERS = 0.5
"""Share of numbers in a column with at most 100 different words: the majority decides."""


@dataclass(frozen=True, eq=False)
class Column:
    """The sample's cells of a column, and the counts over all rows."""

    name: str
    cells: pa.Array
    """Text [sampled rows]; null where the value is missing."""
    scan: ColumnScan
    rows: int
    """The rows of the whole table."""
    missing: int
    """The rows of the whole table without a value; estimated for text with markers."""
    is_number: bool
    """Whether all values of the whole table are numbers."""
    csv: CsvConfig
    """How numbers are written."""
    is_csv: bool
    """Whether the section `data.csv` applies: texts in a Parquet file are taken as they are."""
    zone: str
    """The time zone that a Parquet file stores with the column; empty without one."""
    different_rows: Integers
    """int64 [different sampled rows]: the first position of each different row.

    Holds all positions if more than half of the rows repeat another row.
    """

    @property
    def present(self) -> int:
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
        """int64 [sampled rows]: each value's position in `categories`, -1 if missing."""
        indices = self._encoded.indices.fill_null(-1)
        codes: Integers = indices.to_numpy(zero_copy_only=False).astype(np.int64)
        return codes

    @cached_property
    def counts(self) -> Integers:
        """int64 [categories]: how often each category occurs in the sample."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.categories))

    @cached_property
    def distinct(self) -> int:
        """The number of different values in the whole table, estimated if rows were sampled.

        The Chao1 estimator: values seen once, against values seen twice, tell how many are unseen.
        """
        if not self.is_sampled:
            return len(self.categories)
        once, twice = int((self.counts == 1).sum()), int((self.counts == 2).sum())
        return min(self.present, len(self.categories) + once * once // (2 * max(twice, 1)))

    @cached_property
    def distinct_share(self) -> float:
        """The number of different values divided by the number of values: 1 if all differ.

        Rows that are equal in all columns count once, so that an identifier is still found in a
        table that repeats rows.
        """
        present = int((self.codes[self.different_rows] >= 0).sum())
        # Rows count as equal if numbers beyond float64's digits are all that tells them apart.
        return min(1.0, len(self.categories) / max(present, 1))

    @cached_property
    def is_mostly_numbers(self) -> bool:
        """Whether Transform can parse most cells as numbers, although ExampleGen would refuse some.

        Such a column is read as text, and Transform takes the other cells for missing.
        """
        if self.is_number or len(self.categories) <= _MOST_CATEGORIES_OF_NUMBERS:
            return False
        plain = pc.match_substring_regex(self.cells, _PLAIN_NUMBER).fill_null(False)
        # Transform knows no thousands separators or units: it would lose these numbers.
        if (~np.isnan(self.values) & ~plain.to_numpy(zero_copy_only=False)).any():
            return False
        fewest = _FEWEST_NUMBERS_AMONG_TEXT if self.scan.is_text else _FEWEST_NUMBERS
        return bool(pc.mean(plain.filter(self.cells.is_valid())).as_py() >= fewest)

    @cached_property
    def words(self) -> pa.Array:
        """The values in the sample that Transform cannot parse as numbers in a column of text."""
        plain = pc.match_substring_regex(self.cells, _PLAIN_NUMBER)
        return self.cells.filter(pc.invert(plain.fill_null(True)))

    @cached_property
    def values(self) -> Floats:
        """float64 [sampled rows]; NaN where the value is missing, not a number, or too large."""
        values = parse_numbers(self.cells, self.csv).values
        return np.where(np.abs(values) <= LARGEST, values, np.nan)

    @cached_property
    def overflow(self) -> str:
        """Why the pipeline cannot store the column's numbers, empty if it can."""
        if not self.is_number or max(-self.scan.low, self.scan.high) <= LARGEST:
            return ""
        farthest = max(self.scan.low, self.scan.high, key=abs)
        return f"has numbers up to {farthest:.2g}, but float32 ends at {LARGEST:.2g}"

    def parse(self, text: str) -> float:
        """Returns the number that `text` stands for in this column; NaN if it is no number."""
        return float(parse_numbers(pa.array([text]), self.csv).values[0])

    @cached_property
    def numbers(self) -> Floats:
        """float64 [sampled values]: `values` without NaN."""
        return self.values[~np.isnan(self.values)]


def make_columns(
    scan: Scan, markers: Markers, csv: CsvConfig, zones: Mapping[str, str] | None = None
) -> dict[str, Column]:
    """Returns the table's columns by name; `zones` are time zones that are stored with columns."""
    zones = zones or {}
    missing, is_csv = set(markers.missing.value), markers is not NO_MARKERS
    different = _find_different_rows(scan.sample)
    return {
        name: _make_column(name, scan, missing, csv, is_csv, zones.get(name, ""), different)
        for name in scan.columns
    }


def _find_different_rows(sample: pa.Table) -> Integers:
    batches = sample.to_batches()
    hashes = [hash_rows(b, b.schema.names, seed=0) for b in batches]
    _, first = np.unique(np.concatenate([*hashes, np.zeros(0, np.uint64)]), return_index=True)
    # If most rows repeat another one, the table has few kinds of rows and no identifier. Counting
    # each kind once would make its categories look like identifiers.
    has_few_copies = len(first) >= sample.num_rows / 2
    positions: Integers = np.sort(first) if has_few_copies else np.arange(sample.num_rows)
    return positions


def _make_column(
    name: str,
    scan: Scan,
    markers: set[str],
    csv: CsvConfig,
    is_csv: bool,
    zone: str,
    different: Integers,
) -> Column:
    counts = scan.columns[name]
    cells = _to_array(scan.sample.column(name))
    is_number = not counts.is_text and counts.numbers > 0 and counts.non_numbers.keys() <= markers
    if is_number:
        known = ~np.isnan(parse_numbers(cells, csv).values)
        cells = pc.if_else(pa.array(known), cells, pa.scalar(None, pa.string()))
        missing = scan.rows - counts.numbers
    else:
        marked = pc.is_in(cells, pa.array(sorted(markers), pa.string()))
        cells = pc.if_else(marked, pa.scalar(None, pa.string()), cells)
        missing = max(counts.missing, round(cells.null_count / max(len(cells), 1) * scan.rows))
    return Column(name, cells, counts, scan.rows, missing, is_number, csv, is_csv, zone, different)


def _to_array(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], pa.string())
