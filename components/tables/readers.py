"""Streams the rows of CSV and Parquet files of any size in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from components.tables import csv_diagnosis, csv_file, parquet_file
from components.tables.file_block import FileBlock
from components.tables.sources.table_path import TablePath
from pipeline.config import CsvConfig, DataConfig
from pipeline.core.errors import DataError


def read_header(path: TablePath, data: DataConfig) -> list[str]:
    """Returns the column names of the file in its order; an empty name becomes `column_<position>`.

    Raises:
      ConfigError: the file cannot be opened.
      DataError: the file is empty or unreadable, names a column twice, or has more columns than
        `data.limits.columns`.
    """
    if data.source == "parquet":
        names = parquet_file.read_parquet_names(path)
    else:
        names = csv_file.read_header(path, data).names
    if len(names) > data.limits.columns:
        raise DataError(
            f"{path}: {len(names):,} columns, but data.limits.columns allows "
            f"{data.limits.columns:,}",
            "raise the limit if the file is a table of this width",
        )
    return list(names)


def common_columns(paths: Sequence[TablePath], data: DataConfig) -> list[str]:
    """Returns the columns of all files, in the order of the first; other files may order them anew.

    Columns that `find_unreadable_columns` returns are left out.

    Raises:
      ConfigError: a file cannot be opened.
      DataError: a file has more, fewer or other columns than the first file.
    """
    names = read_header(paths[0], data)
    for path in paths[1:]:
        other = set(read_header(path, data))
        if differing := sorted(other.symmetric_difference(names)):
            has, lacks = (path, paths[0]) if differing[0] in other else (paths[0], path)
            raise DataError(
                f"{lacks} has no column '{differing[0]}', but {has} has",
                "all files of data.path must have the same columns",
            )
    unreadable = find_unreadable_columns(paths, data)
    return [name for name in names if name not in unreadable]


def find_unreadable_columns(paths: Sequence[TablePath], data: DataConfig) -> dict[str, str]:
    """Returns the columns whose cells are not single values in any file, such as lists, by type.

    Only Parquet files have such columns. The type is text, such as `list<element: int64>`.
    """
    if data.source != "parquet":
        return {}
    return {n: kind for path in paths for n, kind in parquet_file.find_unreadable(path).items()}


def refuse_unreadable(paths: Sequence[TablePath], data: DataConfig, needed: Iterable[str]) -> None:
    """Raises DataError for the first column of `needed` that `find_unreadable_columns` returns."""
    unreadable = find_unreadable_columns(paths, data)
    for name in needed:
        if name in unreadable:
            raise parquet_file.unreadable_error(paths[0], name, unreadable[name])


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
        arrays = [parquet_file.cast_to_plain(array) for array in block.batch.columns]
        yield pa.RecordBatch.from_arrays(arrays, block.batch.schema.names)


def iter_blocks(
    paths: Sequence[TablePath], data: DataConfig, columns: Sequence[str] | None = None
) -> Iterator[FileBlock]:
    """Yields the rows file by file, with `columns`; by default all, in the order of the first file.

    A column is utf8 in CSV files, and has its stored type in Parquet files.
    """
    columns = common_columns(paths, data) if columns is None else columns
    for path in paths:
        if data.source == "parquet":
            yield from parquet_file.iter_parquet_file(path, columns, data.limits)
        else:
            yield from csv_file.iter_csv_file(path, data, columns)


def describe_place(path: TablePath, row: int, data: DataConfig) -> str:
    """Returns the file and the line (CSV) or row (Parquet) of a row, for error messages.

    Finding the line in a CSV file takes a second per million rows.

    Args:
      row: index of the row, counted from 0 within the file.
    """
    if data.source == "parquet":
        return f"{path}: row {row + 1}"
    return f"{path}:{csv_diagnosis.find_line_of_row(path, data, row)}"
