"""Reads a table once and gathers the facts about its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from components.tables.parquet.parquet_file import find_zones
from components.tables.readers import read_headers
from pipeline.config import CsvConfig, DataConfig
from pipeline.core.errors import DataError
from pipeline.onboarding.judging.label import require_label
from pipeline.onboarding.reading.columns import Column, make_columns
from pipeline.onboarding.reading.missing_markers import NO_MARKERS, Markers, choose_markers
from pipeline.onboarding.reading.scan import Scan, scan_blocks
from pipeline.onboarding.reading.storage import Storage, inspect_storage


@dataclass(frozen=True)
class Table:
    """A table's files, rows and columns."""

    patterns: tuple[str, ...]
    """The files as the user named them: paths or globs."""
    storage: Storage
    scan: Scan
    markers: Markers
    columns: dict[str, Column]
    unreadable: dict[str, str]
    """The columns whose cells are not single values, such as lists, with their types."""

    @property
    def csv(self) -> CsvConfig:
        """How the files are written; the defaults for Parquet."""
        dialect = self.storage.dialect
        return dialect.to_config(self.markers.missing.value) if dialect else CsvConfig()


def read_table(patterns: Sequence[str], label_column: str) -> Table:
    """Reads all rows once.

    Raises:
      ConfigError: a file cannot be read or has another format, or the label column is missing.
      DataError: the files are not a table, the table has no rows, or the label's cells are not
        single values.
    """
    storage = inspect_storage(patterns, label_column)
    data = _make_data_config(patterns, storage)
    header = read_headers(storage.paths, data)
    header.refuse_unreadable([label_column])
    names = header.find_common_columns()
    require_label(label_column, names, storage.csv.header)
    scan = scan_blocks(storage.iter_blocks(), label_column, storage.csv)
    if not scan.rows:
        raise DataError(f"{storage.paths[0]}: there is no row below the header")
    markers = choose_markers(scan, label_column) if storage.dialect else NO_MARKERS
    zones = {} if storage.dialect else find_zones(storage.paths[0])
    columns = make_columns(scan, markers, storage.csv, zones)
    return Table(tuple(patterns), storage, scan, markers, columns, header.unreadable)


def _make_data_config(patterns: Sequence[str], storage: Storage) -> DataConfig:
    return DataConfig(source=storage.source.value, path=tuple(patterns), csv=storage.csv)
