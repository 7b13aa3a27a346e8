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
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from components.tables.file_kind import damaged_gzip, open_unpacked
from pipeline.config import CsvConfig
from pipeline.core.errors import ConfigError, DataError, PipelineError

# Bytes. The limit holds for the whole process. Python's default of 128 KB would refuse texts that
# Arrow reads; without a limit, an open quote would fill the memory.
LONGEST_CELL = 64 << 20
csv.field_size_limit(LONGEST_CELL)


def open_text(path: Path, csv_config: CsvConfig) -> TextIO:
    """Opens the file for the `csv` module: keeps line breaks, drops a byte order mark."""
    codec = codecs.lookup(csv_config.encoding)
    encoding = "utf-8-sig" if codec.name == "utf-8" else codec.name
    return io.TextIOWrapper(open_unpacked(path), encoding=encoding, newline="")


@contextmanager
def translate_read_errors(path: Path, csv_config: CsvConfig) -> Iterator[None]:
    """Turns errors of opening and decoding a file into errors for the user.

    Raises:
      ConfigError: the encoding is unknown, or the file cannot be opened.
      DataError: the file cannot be read as CSV.
    """
    try:
        yield
    except LookupError:
        raise ConfigError(
            f"data.csv.encoding: '{csv_config.encoding}' is no known encoding",
            "the usual ones are utf-8, latin-1, cp1252 and utf-16",
        ) from None
    except (UnicodeError, OSError, EOFError, zlib.error, csv.Error) as error:
        raise explain_read_error(path, csv_config, error) from None


def explain_read_error(path: Path, csv_config: CsvConfig, error: Exception) -> PipelineError:
    """Returns the error to show to the user after `error` stopped the reading of `path`."""
    if isinstance(error, OSError) and error.errno is not None:
        return ConfigError(f"data.path: {path} cannot be read: {error.strerror}")
    try:
        refuse_undecodable(path, csv_config)
        refuse_unclosed_quote(path, csv_config)
        refuse_ragged_row(path, csv_config)
    except DataError as found:
        return found
    except (OSError, EOFError, zlib.error):
        return damaged_gzip(path, error)
    cause = str(error).splitlines()[0]
    return DataError(f"{path}: {'a row is too long' if 'straddling' in cause else cause}")


def find_line_of_row(path: Path, csv_config: CsvConfig, row: int) -> int:
    """Returns the line, counted from 1, at which a row begins.

    Args:
      row: index of the row, counted from 0 below the header.
    """
    for number, (line, _) in enumerate(_read_rows(path, csv_config)):
        if number == row + csv_config.header:
            return line
    raise ValueError(f"{path} has no row {row}")


def refuse_undecodable(path: Path, csv_config: CsvConfig) -> None:
    """Raises DataError with the first line that is not text in the configured encoding."""
    decoder = codecs.getincrementaldecoder(csv_config.encoding)()
    lines = 0
    try:
        with open_unpacked(path) as file:
            for line in file:
                lines += 1
                if "\0" in decoder.decode(line):
                    raise _nul_byte(path, lines)
        decoder.decode(b"", final=True)
    except UnicodeError:
        raise DataError(
            f"{path}:{lines}: not valid {csv_config.encoding} text",
            "save the file as UTF-8, or set data.csv.encoding, for example to latin-1",
        ) from None


def _nul_byte(path: Path, line: int) -> DataError:
    return DataError(
        f"{path}:{line}: holds a NUL byte",
        "the file is damaged, is not text, or is UTF-16: then set data.csv.encoding to utf-16",
    )


def refuse_unclosed_quote(path: Path, csv_config: CsvConfig) -> None:
    """Raises DataError if a quote is open at the file's end, or for `LONGEST_CELL` bytes."""
    try:
        # A quote is added to the file. It closes an open quote; otherwise it is a row of its own.
        rows = _read_rows(path, csv_config, ending=csv_config.quote)
        line, row = collections.deque(rows, maxlen=1).pop()
    except _EndlessCellError as endless:
        raise DataError(
            f"{path}:{endless.line}: a cell is longer than {LONGEST_CELL >> 20} MB, "
            "or a quote is opened in this row and never closed"
        ) from None
    if row != [""]:
        raise DataError(f"{path}:{line}: a quote is opened in this row and never closed")


def refuse_ragged_row(path: Path, csv_config: CsvConfig) -> None:
    """Raises DataError with the first row that has more or fewer cells than the header."""
    rows = _read_rows(path, csv_config)
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
    path: Path, csv_config: CsvConfig, ending: str = ""
) -> Iterator[tuple[int, list[str]]]:
    """Yields each row that is not blank, header included, with the line at which the row begins.

    Args:
      ending: text to read after the end of the file.
    """
    line = 1
    try:
        with open_text(path, csv_config) as file:
            reader = csv.reader(
                itertools.chain(file, [ending] if ending else []),
                delimiter=csv_config.delimiter,
                quotechar=csv_config.quote,
            )
            for row in reader:
                if row:
                    yield line, row
                line = reader.line_num + 1
    except csv.Error as error:
        if "NUL" in str(error):
            raise _nul_byte(path, line) from None
        raise _EndlessCellError(line) from None
