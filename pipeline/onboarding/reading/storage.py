"""How the table is stored, and its rows as text whatever that is.

Parquet's numbers become text as well: every guess then rests on the same facts, and the classes of
a label stand in the proposal as the ExampleGen will see them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from components.tables.fingerprint import resolve_paths
from components.tables.parquet_file import as_text
from components.tables.readers import iter_parquet_blocks, iter_text_blocks
from pipeline.config import CsvConfig, DataConfig
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.reading import csv_dialect
from pipeline.onboarding.reading.number_format import Numerals, guess_numerals, lacks_header


@dataclass(frozen=True)
class Dialect:
    """How the CSV files are written."""

    delimiter: Guess[str]
    quote: Guess[str]
    encoding: Guess[str]
    header: Guess[bool]
    numerals: Numerals

    def to_config(self, missing: tuple[str, ...]) -> CsvConfig:
        return CsvConfig(
            delimiter=self.delimiter.value,
            quote=self.quote.value,
            encoding=self.encoding.value,
            decimal=self.numerals.decimal.value,
            thousands=self.numerals.thousands.value,
            units=self.numerals.units.value,
            header=self.header.value,
            missing=missing,
        )


@dataclass(frozen=True)
class Storage:
    """The files of the table, and how to read them."""

    paths: Sequence[Path]
    source: Guess[Literal["csv", "parquet"]]
    dialect: Dialect | None
    """None for Parquet."""

    @property
    def csv(self) -> CsvConfig:
        """How cells are written, before anything but the empty cell is known to mean missing."""
        return self.dialect.to_config(missing=("",)) if self.dialect else CsvConfig()

    def iter_blocks(self) -> Iterator[pa.RecordBatch]:
        """Yields all rows as blocks of utf8 columns; only empty cells and Parquet's nulls are null.

        Raises:
          DataError: the files are damaged, or no table; with the file and the line.
        """
        if self.dialect:
            yield from iter_text_blocks(self.paths, self.csv)
            return
        for block in iter_parquet_blocks(self.paths):
            yield pa.RecordBatch.from_arrays(
                [as_text(_without_nan(column)) for column in block.columns], block.schema.names
            )


def find_storage(patterns: Sequence[str], label: str) -> Storage:
    """Looks at the first of the files that `patterns`, files or globs, stand for.

    A first row with a cell `label` is a header, whatever else is in it.

    Raises:
      ConfigError: a pattern matches no file, or a file is neither CSV nor Parquet.
      DataError: the file is empty.
    """
    paths, _ = resolve_paths(DataConfig(path=tuple(patterns)))
    source = csv_dialect.guess_source(paths[0])
    dialect = _guess_dialect(paths, label) if source.value == "csv" else None
    return Storage(paths, source, dialect)


def _guess_dialect(paths: Sequence[Path], label: str) -> Dialect:
    encoding = csv_dialect.guess_encoding(paths)
    text = csv_dialect.read_head(paths[0], encoding.value)
    delimiter, quote, records = csv_dialect.guess_dialect(text)
    csv_dialect.refuse_aligned_columns(paths[0], text, records)
    bare = label not in records[0] and lacks_header(records) if records else False
    header = Guess(not bare, "the first row looks like all others" if bare else "")
    # Large numbers, and so their groups, may stand at the end only.
    last = csv_dialect.read_last_records(paths[-1], encoding.value, delimiter.value, quote.value)
    numerals = guess_numerals([*records, *last], delimiter.value)
    return Dialect(delimiter, quote, encoding, header, numerals)


def _without_nan(column: pa.Array) -> pa.Array:
    """NaN is how many programs write a missing number; the ExampleGen reads it so as well."""
    if not pa.types.is_floating(column.type):
        return column
    return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
