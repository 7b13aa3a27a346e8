"""Detects a file's format (CSV or Parquet) and its text encoding from its bytes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from components.tables.compression import find_compression
from components.tables.file_kind import open_unpacked
from components.tables.sources.table_path import TablePath
from pipeline.core.errors import ConfigError, DataError
from pipeline.onboarding.guess import Guess

_SIGNATURE_BYTES = 1 << 12
"""4 KiB hold the magic bytes and, for the formats below, the first line or two."""
_CHUNK_BYTES = 1 << 22
"""The encoding check reads 4 MiB at a time, which bounds its memory for files of any size."""

# Each pattern matches the first line or two. One character would not do: the first cell of a CSV
# file may begin with any of these marks.
_OTHER_TEXT_FORMATS = {
    "JSON": re.compile(rb'\s*(\{\s*("[^"]*"\s*:|\}|$)|\[\s*[\[{\]"]|\[\s*-?\d[^\]"\n]*,\s*\n)'),
    "XML or HTML": re.compile(rb"\s*<(\?xml|!doctype|!--|[a-z][a-z0-9:-]*[\s/>])", re.IGNORECASE),
    "ARFF": re.compile(rb"(\s*%[^\n]*\n)*\s*@relation\s", re.IGNORECASE),
    "LibSVM": re.compile(rb"\s*[+-]?[\d.]+(\s+\d+:[^\s:]+)+[ \t]*\r?\n"),
    "a PDF document": re.compile(rb"%PDF-"),
}


def guess_source(path: TablePath) -> Guess[Literal["csv", "parquet"]]:
    """Returns the format of the file at `path`, judged by its first bytes.

    Raises:
      ConfigError: the file is neither CSV nor Parquet, or cannot be opened.
      DataError: the file is empty.
    """
    with open_unpacked(path) as file:
        head = file.read(_SIGNATURE_BYTES)
    if not head.strip():
        raise DataError(f"{path}: the file is empty", "a table needs a header and rows")
    if head.startswith(b"PAR1"):
        if find_compression(path):
            raise ConfigError(f"{path}: compressed Parquet", "unpack it: Parquet compresses itself")
        return Guess("parquet", "judged by the file's first bytes")
    if b"\x00" in head and not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ConfigError(f"{path}: neither text nor Parquet", "init reads CSV and Parquet")
    for kind, first_lines in _OTHER_TEXT_FORMATS.items():
        if first_lines.match(head):
            raise ConfigError(f"{path}: {kind}, not CSV", "save the table as CSV or Parquet")
    return Guess("csv", "judged by the file's first bytes")


def guess_encoding(paths: Sequence[TablePath]) -> Guess[str]:
    """Returns the encoding of text files, after reading all their bytes.

    A sample would not do: a single byte that is not UTF-8 in the millionth row ends a run.
    """
    with open_unpacked(paths[0]) as file:
        head = file.read(4)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Guess("utf-16", "the file begins with the byte order mark of UTF-16")
    if all(map(_is_utf8, paths)):
        if head.startswith(codecs.BOM_UTF8):
            return Guess("utf-8", "the file begins with a byte order mark, which is dropped")
        return Guess("utf-8", "every byte is valid UTF-8")
    if all(map(_is_cp1252, paths)):
        return Guess(
            "cp1252", "not valid UTF-8; Western European is assumed: check names with accents"
        )
    return Guess("latin-1", "valid neither as UTF-8 nor as cp1252: check names with accents")


def _is_utf8(path: TablePath) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for chunk in _iter_chunks(path):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _is_cp1252(path: TablePath) -> bool:
    # Windows-1252 defines every byte but these five.
    return not any(set(chunk) & {0x81, 0x8D, 0x8F, 0x90, 0x9D} for chunk in _iter_chunks(path))


def _iter_chunks(path: TablePath) -> Iterator[bytes]:
    with open_unpacked(path) as file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk
