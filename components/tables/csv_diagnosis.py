"""Finds the line that makes a CSV file unreadable.

Arrow is fast because it does not count lines. So Python's `csv` module reads the file a second
time, slowly, but only after Arrow has failed.
"""

from __future__ import annotations

import codecs
import collections
import csv
import io
import itertools
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from components.tables.file_kind import open_unpacked
from components.tables.sources.table_path import TablePath
from pipeline.config import DataConfig
from pipeline.config.limits import LONGEST_ROW
from pipeline.core.errors import ConfigError, DataError, PipelineError

# Bytes. The limit holds for the whole process. Python's default of 128 KB would refuse texts that
# Arrow reads; without a limit, an open quote would fill the memory.
LONGEST_CELL = LONGEST_ROW
csv.field_size_limit(LONGEST_CELL)
_PIECE_BYTES = 1 << 20


def open_text(path: TablePath, data: DataConfig) -> TextIO:
    """Opens the file for the `csv` module: keeps line breaks, drops a byte order mark."""
    codec = codecs.lookup(data.csv.encoding)
    encoding = "utf-8-sig" if codec.name == "utf-8" else codec.name
    return io.TextIOWrapper(open_unpacked(path, data.limits), encoding=encoding, newline="")


@contextmanager
def translate_read_errors(path: TablePath, data: DataConfig) -> Iterator[None]:
    """Turns errors of opening and decoding a file into errors for the user.

    Raises:
      ConfigError: the encoding is unknown, or the file cannot be opened.
      DataError: the file cannot be read as CSV.
    """
    try:
        yield
    except LookupError:
        raise ConfigError(
            f"data.csv.encoding: '{data.csv.encoding}' is no known encoding",
            "the usual ones are utf-8, latin-1, cp1252 and utf-16",
        ) from None
    except LongLineError as long:
        raise _long_row(path, 1, long.longest) from None
    except (UnicodeError, OSError, csv.Error) as error:
        raise explain_read_error(path, data, error) from None


def explain_read_error(path: TablePath, data: DataConfig, error: Exception) -> PipelineError:
    """Returns the error to show to the user after `error` stopped the reading of `path`."""
    if isinstance(error, OSError) and error.errno is not None:
        return ConfigError(f"data.path: {path} cannot be read: {error.strerror}")
    try:
        refuse_undecodable(path, data)
        refuse_unclosed_quote(path, data)
        refuse_ragged_row(path, data)
    except DataError as found:
        return found
    cause = str(error).splitlines()[0]
    return _find_longest_row(path, data) if "straddling" in cause else DataError(f"{path}: {cause}")


def _find_longest_row(path: TablePath, data: DataConfig) -> DataError:
    """Returns the error of the row that is longer than Arrow's blocks."""
    rows = _read_rows(path, data)
    line, length = max(((at, sum(map(len, row))) for at, row in rows), key=lambda row: row[1])
    return _long_row(path, line, length)


def _long_row(path: TablePath, line: int, length: int) -> DataError:
    return DataError(
        f"{path}:{line}: the row has {length:,} characters or more, too many for one row",
        "raise data.limits.row_bytes (--set data.limits.row_bytes=...), or shorten the cells",
    )


def find_line_of_row(path: TablePath, data: DataConfig, row: int) -> int:
    """Returns the line, counted from 1, at which a row begins.

    Args:
      row: index of the row, counted from 0 below the header.
    """
    for number, (line, _) in enumerate(_read_rows(path, data)):
        if number == row + data.csv.header:
            return line
    raise ValueError(f"{path} has no row {row}")


@dataclass(frozen=True)
class RaggedRow:
    """A row with more or fewer cells than the header."""

    line: int
    """The line at which the row begins, from 1."""
    lines: int
    """The lines that the row takes."""
    cells: int


def locate_rows(
    path: TablePath, data: DataConfig, rows: Collection[int], width: int
) -> tuple[dict[int, int], list[RaggedRow]]:
    """Returns the line at which each of `rows` begins, and all ragged rows.

    Args:
      rows: indices of rows, counted from 0 below the header; ragged rows are not counted.
      width: the number of cells of a row that is not ragged.
    """
    lines: dict[int, int] = {}
    ragged: list[RaggedRow] = []
    number = -int(data.csv.header)
    for line, row in _read_rows(path, data):
        if len(row) != width:
            breaks = sum(cell.count("\n") or cell.count("\r") for cell in row)
            ragged.append(RaggedRow(line, 1 + breaks, len(row)))
            continue
        if number in rows:
            lines[number] = line
        number += 1
    return lines, ragged


def bounded_lines(file: TextIO, longest: int) -> Iterator[str]:
    """Yields the lines of the file.

    Raises:
      LongLineError: a line has more than `longest` characters, of which no more are read.
    """
    while line := file.readline(longest + 1):
        if len(line) > longest:
            raise LongLineError(longest)
        yield line


class LongLineError(Exception):
    """A line is longer than the limit."""

    def __init__(self, longest: int) -> None:
        super().__init__(longest)
        self.longest = longest


def refuse_undecodable(path: TablePath, data: DataConfig) -> None:
    """Raises DataError with the first line that is not text in the configured encoding."""
    decoder = codecs.getincrementaldecoder(data.csv.encoding)()
    lines = 0
    try:
        with open_unpacked(path, data.limits) as file:
            is_start = True
            # Pieces of lines: a line may have no end.
            while piece := file.readline(_PIECE_BYTES):
                lines += is_start
                is_start = piece.endswith(b"\n")
                if "\0" in decoder.decode(piece):
                    raise _nul_byte(path, lines)
        decoder.decode(b"", final=True)
    except UnicodeError:
        raise DataError(
            f"{path}:{lines}: not valid {data.csv.encoding} text",
            "save the file as UTF-8, or set data.csv.encoding, for example to latin-1",
        ) from None


def _nul_byte(path: TablePath, line: int) -> DataError:
    return DataError(
        f"{path}:{line}: holds a NUL byte",
        "the file is damaged, is not text, or is UTF-16: then set data.csv.encoding to utf-16",
    )


def refuse_unclosed_quote(path: TablePath, data: DataConfig) -> None:
    """Raises DataError if a quote is open at the file's end, or for `LONGEST_CELL` bytes."""
    try:
        # A quote is added to the file. It closes an open quote; otherwise it is a row of its own.
        rows = _read_rows(path, data, ending=data.csv.quote)
        line, row = collections.deque(rows, maxlen=1).pop()
    except _EndlessCellError as endless:
        raise DataError(
            f"{path}:{endless.line}: a cell is longer than {LONGEST_CELL >> 20} MB, "
            "or a quote is opened in this row and never closed"
        ) from None
    if row != [""]:
        raise DataError(f"{path}:{line}: a quote is opened in this row and never closed")


def refuse_ragged_row(path: TablePath, data: DataConfig) -> None:
    """Raises DataError with the first row that has more or fewer cells than the header."""
    rows = _read_rows(path, data)
    _, header = next(rows)
    for line, row in rows:
        if len(row) != len(header):
            raise DataError(
                f"{path}:{line}: expected {len(header)} cells, found {len(row)}",
                "a cell that holds the delimiter or a line break must be quoted",
            )


class _EndlessCellError(Exception):
    """A cell is longer than `LONGEST_CELL`."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def _read_rows(
    path: TablePath, data: DataConfig, ending: str = ""
) -> Iterator[tuple[int, list[str]]]:
    """Yields each row that is not blank, header included, with the line at which the row begins.

    Args:
      ending: text to read after the end of the file.
    """
    line = 1
    try:
        with open_text(path, data) as file:
            reader = csv.reader(
                itertools.chain(bounded_lines(file, LONGEST_CELL), [ending] if ending else []),
                delimiter=data.csv.delimiter,
                quotechar=data.csv.quote,
            )
            for row in reader:
                if row:
                    yield line, row
                line = reader.line_num + 1
    except (csv.Error, LongLineError) as error:
        if "NUL" in str(error):
            raise _nul_byte(path, line) from None
        raise _EndlessCellError(line) from None
