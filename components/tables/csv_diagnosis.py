"""Finds the line to blame after a CSV file was refused.

Arrow reads fast by not counting lines. So the file is read a second time, slowly, but only then.
"""

from __future__ import annotations

import codecs
import collections
import csv
import gzip
import io
import itertools
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from pipeline.config import CsvConfig
from pipeline.core.errors import ConfigError, DataError, PipelineError

# The limit is the process's. At the usual 128 KB, texts that Arrow reads would be refused here;
# with none, an open quote would fill the memory.
LONGEST_CELL = 64 << 20
csv.field_size_limit(LONGEST_CELL)


def open_text(path: Path, csv_config: CsvConfig) -> TextIO:
    """Opens the file for the `csv` module: line breaks as they are, a byte order mark left out."""
    codec = codecs.lookup(csv_config.encoding)
    encoding = "utf-8-sig" if codec.name == "utf-8" else codec.name
    return io.TextIOWrapper(_open_bytes(path), encoding=encoding, newline="")


def _open_bytes(path: Path) -> gzip.GzipFile | io.BufferedReader:
    return gzip.GzipFile(path) if path.suffix == ".gz" else path.open("rb")


@contextmanager
def translate_read_errors(path: Path, csv_config: CsvConfig) -> Iterator[None]:
    """Turns what can go wrong while a file is opened and decoded into errors for the user."""
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
    """The error for the user when `error` ended the translate_read_errors of `path`."""
    if isinstance(error, OSError) and error.errno is not None:
        return ConfigError(f"data.path: {path} cannot be read: {error.strerror}")
    try:
        refuse_undecodable(path, csv_config)
        refuse_unclosed_quote(path, csv_config)
        refuse_ragged_row(path, csv_config)
    except DataError as found:
        return found
    except (OSError, EOFError, zlib.error):
        return DataError(f"{path}: not a whole gzip file: {error}", "copy or compress it again")
    cause = str(error).splitlines()[0]
    return DataError(f"{path}: {'a row is too long' if 'straddling' in cause else cause}")


def find_line_of_row(path: Path, csv_config: CsvConfig, row: int) -> int:
    """The line, counted from 1, at which the row `row` (from 0, below a header) begins."""
    for number, (line, _) in enumerate(_read_rows(path, csv_config)):
        if number == row + csv_config.header:
            return line
    raise ValueError(f"{path} has no row {row}")


def refuse_undecodable(path: Path, csv_config: CsvConfig) -> None:
    """Raises DataError with the first line that is not text in the file's encoding."""
    decoder = codecs.getincrementaldecoder(csv_config.encoding)()
    lines = 0
    try:
        with _open_bytes(path) as file:
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
        "the file is damaged, no text, or UTF-16: then set data.csv.encoding to utf-16",
    )


def refuse_unclosed_quote(path: Path, csv_config: CsvConfig) -> None:
    """Raises DataError if the file ends, or a cell becomes endless, inside quotes."""
    try:
        # An open quote takes one more quote for its end; otherwise that is a row of its own.
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
    """Raises DataError with the first row whose number of cells is not the header's."""
    rows = _read_rows(path, csv_config)
    _, header = next(rows)
    for line, row in rows:
        if len(row) != len(header):
            raise DataError(
                f"{path}:{line}: expected {len(header)} cells, found {len(row)}",
                "a cell that holds the delimiter or a line break must be quoted",
            )


class _EndlessCellError(Exception):
    """A cell longer than any block that is read."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def _read_rows(
    path: Path, csv_config: CsvConfig, ending: str = ""
) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the line it begins at, a header first."""
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
