"""How a table is stored: the format of its files and, for CSV, the dialect.

The dialect is found by trial: every delimiter is tried on the beginning of the first file, and
the one that gives the header and the records the same number of cells wins.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Literal, cast

from pipeline.core.errors import ConfigError, DataError
from pipeline.onboarding.guess import Guess

_HEAD_BYTES = 1 << 18
_HEAD_RECORDS = 2000
_END_BYTES = 1 << 16
_NEARLY_ALL = 0.9
_CHUNK_BYTES = 1 << 22

# A blank delimits only if nothing else does.
_DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar", " ": "a blank"}
# By the first line or two: cells of a table may begin with any of these marks.
_NO_TABLE = {
    "JSON": re.compile(rb'\s*(\{\s*("[^"]*"\s*:|\}|$)|\[\s*[\[{\]"]|\[\s*-?\d[^\]"\n]*,\s*\n)'),
    "XML or HTML": re.compile(rb"\s*<(\?xml|!doctype|!--|[a-z][a-z0-9:-]*[\s/>])", re.IGNORECASE),
    "ARFF": re.compile(rb"(\s*%[^\n]*\n)*\s*@relation\s", re.IGNORECASE),
    "LibSVM": re.compile(rb"\s*[+-]?[\d.]+(\s+\d+:[^\s:]+)+[ \t]*\r?\n"),
    "a PDF document": re.compile(rb"%PDF-"),
}
_UNREADABLE = {
    b"PK\x03\x04": ("a spreadsheet or a zip archive", "save the sheet as CSV, or unpack it"),
    b"\xd0\xcf\x11\xe0": ("an old spreadsheet", "save the sheet as CSV"),
    b"SQLite format 3": ("a database", "export the table as CSV or Parquet"),
    b"ARROW1": ("an Arrow file", "save the table as Parquet"),
    b"\x1f\x8b": ("compressed with gzip", "give it a name that ends in .gz"),
    b"BZh": ("a bzip2 archive", "unpack it, or compress it with gzip"),
    b"\xfd7zXZ": ("an xz archive", "unpack it, or compress it with gzip"),
    b"\x28\xb5\x2f\xfd": ("a zstd archive", "unpack it, or compress it with gzip"),
}


def guess_source(path: Path) -> Guess[Literal["csv", "parquet"]]:
    """The format of the file at `path`, by its first bytes.

    Raises:
      ConfigError: it is neither CSV nor Parquet.
      DataError: it is empty.
    """
    with open_unpacked(path) as file:
        head = file.read(1 << 12)
    if not head.strip():
        raise DataError(f"{path}: the file is empty", "a table needs a header and rows")
    if head.startswith(b"PAR1"):
        return Guess("parquet", "by the file's first bytes")
    for magic, (kind, advice) in _UNREADABLE.items():
        if head.startswith(magic):
            raise ConfigError(f"{path}: {kind}, not CSV or Parquet", advice)
    if b"\x00" in head and not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ConfigError(f"{path}: neither text nor Parquet", "init reads CSV and Parquet")
    for kind, beginning in _NO_TABLE.items():
        if beginning.match(head):
            raise ConfigError(f"{path}: {kind}, not CSV", "save the table as CSV or Parquet")
    return Guess("csv", "text, by the file's first bytes")


def guess_encoding(paths: Sequence[Path]) -> Guess[str]:
    """The encoding of text files; all their bytes are looked at.

    A single byte that is not UTF-8 in the millionth row would end a run, hence all of them.
    """
    with open_unpacked(paths[0]) as file:
        head = file.read(4)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Guess("utf-16", "the file begins with the byte order mark of UTF-16")
    if all(map(_is_utf8, paths)):
        if head.startswith(codecs.BOM_UTF8):
            return Guess("utf-8", "with a byte order mark, which is left out")
        return Guess("utf-8", "every byte is valid UTF-8")
    if all(map(_is_cp1252, paths)):
        return Guess("cp1252", "not UTF-8: Western European assumed; look at names with accents")
    return Guess("latin-1", "neither UTF-8 nor Windows-1252; look at names with accents")


def guess_dialect(text: str) -> tuple[Guess[str], Guess[str], list[list[str]]]:
    """The delimiter, the quote, and the records of `text` read with them."""
    quote = _guess_quote(text)
    trials = {d: _read_records(text, d, quote.value) for d in _DELIMITERS}
    scores = {d: _consistency(records) for d, records in trials.items()}
    best = max(_DELIMITERS, key=lambda d: (scores[d] > (0, 0), d != " ", scores[d]))
    records = trials[best]
    width = len(records[0]) if records else 0
    if width < 2:
        return Guess(",", "a single column"), quote, trials[","]
    why = f"{_DELIMITERS[best]}: the trial gave {width} columns in every one of the first rows"
    if scores[best][0] < 1:
        why = f"{_DELIMITERS[best]}: the trial gave {width} columns in most of the first rows"
    return Guess(best, why), quote, records


def refuse_aligned_columns(path: Path, text: str, records: Sequence[Sequence[str]]) -> None:
    """Raises ConfigError if the trials failed since blanks keep the columns of `text` apart."""
    lines = [line for line in text.splitlines() if line.strip()]
    aligned = sum(bool(re.search(r"\S[ \t]{2,}\S", line)) for line in lines)
    if _consistency(records)[0] < _NEARLY_ALL and aligned > len(lines) / 2:
        raise ConfigError(
            f"{path}: the columns are kept apart by runs of blanks, not by one character",
            "save the table with a comma, semicolon or tab between cells",
        )


def read_head(path: Path, encoding: str) -> str:
    """The beginning of a text file."""
    with open_unpacked(path) as file:
        head = file.read(_HEAD_BYTES)
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    return decoder.decode(head, final=False).removeprefix("\ufeff")


def read_last_records(path: Path, encoding: str, delimiter: str, quote: str) -> list[list[str]]:
    """Records from the end of a text file; of a compressed one none, since all would be unpacked.

    The first few may be parts of a cell with line breaks.
    """
    size = path.stat().st_size
    if path.suffix == ".gz" or size <= _HEAD_BYTES:
        return []
    with path.open("rb") as file:
        # An even place: the units of UTF-16 are two bytes wide.
        file.seek((size - _END_BYTES) // 2 * 2)
        text = file.read().decode(encoding.replace("utf-16", "utf-16-le"), errors="replace")
    lines = text.splitlines(keepends=True)[1:]
    return _read_records("".join(lines[-_HEAD_RECORDS:]), delimiter, quote)


def open_unpacked(path: Path) -> IO[bytes]:
    """The bytes of a file, unpacked if its name says that it is compressed with gzip.

    Raises:
      ConfigError: the file cannot be opened.
    """
    try:
        return cast(IO[bytes], gzip.open(path) if path.suffix == ".gz" else path.open("rb"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for chunk in _chunks(path):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _is_cp1252(path: Path) -> bool:
    return not any(set(chunk) & {0x81, 0x8D, 0x8F, 0x90, 0x9D} for chunk in _chunks(path))


def _chunks(path: Path) -> Iterator[bytes]:
    with open_unpacked(path) as file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk


def _guess_quote(text: str) -> Guess[str]:
    """Apostrophes, if cells are wrapped in them and none in double quotes."""

    def wrapped(mark: str) -> int:
        return len(re.findall(rf"(?m)(?:^|[,;\t|]){mark}[^{mark}\n]*{mark}(?=[,;\t|\r\n]|$)", text))

    double, single = wrapped('"'), wrapped("'")
    is_header_wrapped = re.match(r"\s*'[^'\n]*'([,;\t| ]'[^'\n]*')+\s*?\n", text)
    if single > 1 and not double and (single >= text.count("\n") / 2 or is_header_wrapped):
        return Guess("'", "cells are wrapped in apostrophes")
    return Guess('"', "cells are wrapped in it" if double else "the usual one; none was seen")


def _read_records(text: str, delimiter: str, quote: str) -> list[list[str]]:
    """The first records, without a last one that the end of `text` may have cut off."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote)
    records: list[list[str]] = []
    try:
        for record in reader:
            records.append(record)
            if len(records) > _HEAD_RECORDS:
                break
    except csv.Error:
        return []
    whole = text.endswith(("\n", "\r")) or len(text) < _HEAD_BYTES // 4
    records = records if whole and len(records) <= _HEAD_RECORDS else records[:-1]
    return [r for r in records if r]


def _consistency(records: Sequence[Sequence[str]]) -> tuple[float, int]:
    """The share of records as wide as the header, and that width; zeros if it is one cell."""
    width = len(records[0]) if records else 0
    if width < 2:
        return 0, 0
    return sum(len(r) == width for r in records) / len(records), width
