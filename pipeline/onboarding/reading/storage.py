"""Finds out how a table is stored, and reads its rows as text from CSV and Parquet alike.

Parquet's numbers become text as well. Every guess then rests on the same facts, and the proposal
lists the classes of a label as ExampleGen will see them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from components.tables.fingerprint import resolve_paths
from components.tables.parquet.stored_types import cast_to_text
from components.tables.readers import iter_parquet_blocks, iter_text_blocks
from components.tables.sources.table_path import TablePath
from pipeline.config import CsvConfig, DataConfig
from pipeline.core.errors import ConfigError
from pipeline.core.files import is_remote
from pipeline.core.stores.address import parse_address
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.reading import csv_dialect, file_format
from pipeline.onboarding.reading.number_format import (
    NumberFormat,
    guess_number_format,
    is_header_missing,
)


@dataclass(frozen=True)
class Dialect:
    """How the CSV files are written."""

    delimiter: Guess[str]
    quote: Guess[str]
    encoding: Guess[str]
    header: Guess[bool]
    number_format: NumberFormat

    def to_config(self, missing: tuple[str, ...]) -> CsvConfig:
        return CsvConfig(
            delimiter=self.delimiter.value,
            quote=self.quote.value,
            encoding=self.encoding.value,
            decimal=self.number_format.decimal.value,
            thousands=self.number_format.thousands.value,
            units=self.number_format.units.value,
            header=self.header.value,
            missing=missing,
        )


@dataclass(frozen=True)
class Storage:
    """The files of the table, and how to read them."""

    paths: Sequence[TablePath]
    source: Guess[Literal["csv", "parquet"]]
    dialect: Dialect | None
    """None for Parquet."""

    @property
    def csv(self) -> CsvConfig:
        """How cells are written, before the markers of missing values are known."""
        return self.dialect.to_config(missing=("",)) if self.dialect else CsvConfig()

    def iter_blocks(self) -> Iterator[pa.RecordBatch]:
        """Yields all rows as blocks of utf8 columns; only empty cells and Parquet's nulls are null.

        Raises:
          DataError: the files are damaged or not a table; the message names the file and line.
        """
        if self.dialect:
            yield from iter_text_blocks(self.paths, self.csv)
            return
        for block in iter_parquet_blocks(self.paths):
            yield pa.RecordBatch.from_arrays(
                [cast_to_text(_nan_to_null(column)) for column in block.columns], block.schema.names
            )


def inspect_storage(patterns: Sequence[str], label_column: str) -> Storage:
    """Finds out how the files that match `patterns` (paths or globs) are stored.

    Format, delimiter and number format are judged by the first file, the encoding by all files. A
    first row with a cell `label_column` is a header, whatever its other cells are.

    Raises:
      ConfigError: a pattern matches no file, or the first file is neither CSV nor Parquet.
      DataError: the first file is empty.
    """
    for pattern in filter(is_remote, patterns):
        _check_address(pattern)
    paths, _ = resolve_paths(DataConfig(path=tuple(patterns)))
    source = file_format.guess_source(paths[0])
    dialect = _guess_dialect(paths, label_column) if source.value == "csv" else None
    return Storage(paths, source, dialect)


def _check_address(pattern: str) -> None:
    try:
        parse_address(pattern)
    except ConfigError as error:
        raise ConfigError(f"--data: {error.message}", error.hint) from None


def _guess_dialect(paths: Sequence[TablePath], label_column: str) -> Dialect:
    encoding = file_format.guess_encoding(paths)
    text = csv_dialect.read_head(paths[0], encoding.value)
    delimiter, quote, records = csv_dialect.guess_dialect(text)
    csv_dialect.refuse_aligned_columns(paths[0], text, records)
    lacks_header = bool(records) and label_column not in records[0] and is_header_missing(records)
    header = Guess(not lacks_header, "the first row looks like a data row" if lacks_header else "")
    # In a sorted table, large numbers and so their thousands separators stand at the end only.
    last = csv_dialect.read_last_records(paths[-1], encoding.value, delimiter.value, quote.value)
    number_format = guess_number_format([*records, *last], delimiter.value)
    return Dialect(delimiter, quote, encoding, header, number_format)


def _nan_to_null(column: pa.Array) -> pa.Array:
    """Many programs write NaN for a missing number; ExampleGen reads NaN as missing, too."""
    if not pa.types.is_floating(column.type):
        return column
    return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
