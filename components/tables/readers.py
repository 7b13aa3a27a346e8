"""Reads the columns of CSV and Parquet files, and streams their rows in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from components.tables import csv_diagnosis, csv_file
from components.tables.file_block import FileBlock
from components.tables.parquet import parquet_file
from components.tables.parquet.parquet_file import unreadable_error
from components.tables.parquet.stored_types import cast_to_plain
from components.tables.sources.row_groups import TableSource, file_of
from components.tables.sources.table_path import TablePath
from pipeline.config import CsvConfig, DataConfig
from pipeline.core.errors import DataError
from pipeline.core.stores.waiting import map_requests


@dataclass(frozen=True)
class FileHeader:
    """The columns of one file."""

    path: TablePath
    names: tuple[str, ...]
    """In the order of the file; an empty name becomes `column_<position>`."""
    unreadable: Mapping[str, str]
    """The columns whose cells are not single values, such as lists, with their types as text: only
    Parquet files have such columns."""


@dataclass(frozen=True)
class TableHeader:
    """The columns of all files of a table."""

    files: tuple[FileHeader, ...]

    @property
    def unreadable(self) -> dict[str, str]:
        """The columns that are unreadable in any file."""
        return {name: kind for file in self.files for name, kind in file.unreadable.items()}

    def find_common_columns(self) -> list[str]:
        """Returns the readable columns, in the order of the first file.

        Raises:
          DataError: a file has more, fewer or other columns than the first file.
        """
        first, *others = self.files
        for other in others:
            if differing := sorted(set(other.names).symmetric_difference(first.names)):
                has, lacks = (other, first) if differing[0] in other.names else (first, other)
                raise DataError(
                    f"{lacks.path} has no column '{differing[0]}', but {has.path} has",
                    "all files of data.path must have the same columns",
                )
        unreadable = self.unreadable
        return [name for name in first.names if name not in unreadable]

    def refuse_unreadable(self, needed: Iterable[str]) -> None:
        """Raises DataError for the first column of `needed` that is unreadable in a file."""
        for name in needed:
            for file in self.files:
                if name in file.unreadable:
                    raise unreadable_error(file.path, name, file.unreadable[name])


def read_header(path: TablePath, data: DataConfig) -> FileHeader:
    """Opens the file once, and reads its columns.

    Raises:
      ConfigError: the file cannot be opened.
      DataError: the file is empty or unreadable, names a column twice, or has more columns than
        `data.limits.columns`.
    """
    if data.source == "parquet":
        types = parquet_file.read_parquet_types(path)
        header = FileHeader(path, tuple(types), parquet_file.find_unreadable(types))
    else:
        header = FileHeader(path, csv_file.read_header(path, data).names, {})
    if len(header.names) > data.limits.columns:
        raise DataError(
            f"{path}: {len(header.names):,} columns, but data.limits.columns allows "
            f"{data.limits.columns:,}",
            "raise the limit if the file is a table of this width",
        )
    return header


def read_headers(paths: Sequence[TablePath], data: DataConfig) -> TableHeader:
    """Opens each file of a table once, several at a time; raises as `read_header` does."""
    read = partial(read_header, data=data)
    if len(paths) == 1:
        return TableHeader((read(paths[0]),))
    return TableHeader(tuple(map_requests(read, paths)))


def common_columns(paths: Sequence[TablePath], data: DataConfig) -> list[str]:
    """Returns the readable columns of all files, in the order of the first; opens each file.

    Raises:
      ConfigError: a file cannot be opened.
      DataError: see `read_header`; or a file has other columns than the first file.
    """
    return read_headers(paths, data).find_common_columns()


def iter_text_blocks(paths: Sequence[TablePath], csv: CsvConfig) -> Iterator[pa.RecordBatch]:
    """Yields CSV files as batches of about 4 MB, with all columns as utf8.

    A cell that is one of `csv.missing` is null. Any other cell is the text of the file without the
    blanks around it.
    """
    data = DataConfig(source="csv", path=tuple(map(str, paths)), csv=csv)
    yield from (block.batch for block in iter_blocks(paths, data))


def iter_parquet_blocks(paths: Sequence[TablePath]) -> Iterator[pa.RecordBatch]:
    """Yields Parquet files as batches of 32,768 rows, with all columns cast by `cast_to_plain`."""
    data = DataConfig(source="parquet", path=tuple(map(str, paths)))
    for block in iter_blocks(paths, data):
        arrays = [cast_to_plain(array) for array in block.batch.columns]
        yield pa.RecordBatch.from_arrays(arrays, block.batch.schema.names)


def iter_blocks(
    sources: Sequence[TableSource], data: DataConfig, columns: Sequence[str] | None = None
) -> Iterator[FileBlock]:
    """Yields the rows file by file, with `columns`; by default all, in the order of the first file.

    A column is utf8 in CSV files, and has its stored type in Parquet files.
    """
    if columns is None:
        columns = common_columns([file_of(source) for source in sources], data)
    for source in sources:
        if data.source == "parquet":
            yield from parquet_file.iter_parquet_file(source, columns, data.limits)
        else:
            yield from csv_file.iter_csv_file(file_of(source), data, columns)


def describe_place(path: TablePath, row: int, data: DataConfig) -> str:
    """Returns the file and the line (CSV) or row (Parquet) of a row, for error messages.

    Finding the line in a CSV file takes a second per million rows.

    Args:
      row: index of the row, counted from 0 within the file.
    """
    if data.source == "parquet":
        return f"{path}: row {row + 1}"
    return f"{path}:{csv_diagnosis.find_line_of_row(path, data, row)}"
