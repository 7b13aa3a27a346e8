"""Detects the delimiter and the quote of CSV text by trial.

Each delimiter is tried on the beginning of the first file. The delimiter that splits the most
records into as many cells as the header wins.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Sequence

from components.tables.compression import find_compression
from components.tables.file_kind import open_unpacked
from components.tables.sources.table_path import TablePath, open_bytes, size_of
from pipeline.core.errors import ConfigError
from pipeline.onboarding.guess import Guess

_HEAD_BYTES = 1 << 18
"""256 KiB from the beginning are tried with each delimiter: bounds the time of the five trials."""
_TAIL_BYTES = 1 << 16
"""64 KiB from the end: bounds how many last rows are looked at for large numbers."""
_MOST_RECORDS = 2000
"""Bounds the time on narrow tables, where `_HEAD_BYTES` hold many more records."""
_NEARLY_ALL = 0.9
"""With a smaller share of records as wide as the header, no delimiter counts as found, and the
table may be aligned with blanks; the rest is left for ragged records."""
_MOST_BYTES_OF_CHARACTER = 4
"""The longest character of the supported encodings."""

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "blank"}


def guess_dialect(text: str) -> tuple[Guess[str], Guess[str], list[list[str]]]:
    """Returns the delimiter, the quote, and the records of `text` read with both."""
    quote = _guess_quote(text)
    trials = {d: _read_records(text, d, quote.value) for d in _DELIMITERS}
    scores = {d: _measure_consistency(records) for d, records in trials.items()}
    # A blank delimits only if nothing else does: it also separates the words within a cell.
    best = max(_DELIMITERS, key=lambda d: (scores[d] > (0, 0), d != " ", scores[d]))
    records = trials[best]
    width = len(records[0]) if records else 0
    if width < 2:
        return Guess(",", "a single column"), quote, trials[","]
    share = "all" if scores[best][0] == 1 else "most"
    why = f"{_DELIMITERS[best]}: splits {share} of the first rows into {width} columns"
    return Guess(best, why), quote, records


def refuse_aligned_columns(path: TablePath, text: str, records: Sequence[Sequence[str]]) -> None:
    """Raises ConfigError if no delimiter was found because runs of blanks align the columns."""
    lines = [line for line in text.splitlines() if line.strip()]
    aligned = sum(bool(re.search(r"\S[ \t]{2,}\S", line)) for line in lines)
    if _measure_consistency(records)[0] < _NEARLY_ALL and aligned > len(lines) / 2:
        raise ConfigError(
            f"{path}: runs of blanks separate the columns, not a single character",
            "save the table with a comma, semicolon or tab between cells",
        )


def read_head(path: TablePath, encoding: str) -> str:
    """Returns the beginning of a text file, at most `_HEAD_BYTES`, without a byte order mark."""
    with open_unpacked(path) as file:
        head = file.read(_HEAD_BYTES)
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    return decoder.decode(head, final=False).removeprefix("\ufeff")


def read_last_records(
    path: TablePath, encoding: str, delimiter: str, quote: str
) -> list[list[str]]:
    """Returns records from the end of a text file that is longer than its head.

    The first few may be parts of a cell with line breaks. Returns no record of a compressed file,
    which would have to be decompressed as a whole.
    """
    size = size_of(path)
    if find_compression(path) or size <= _HEAD_BYTES:
        return []
    with open_bytes(path) as file:
        # An even position, since UTF-16 has units of two bytes.
        file.seek((size - _TAIL_BYTES) // 2 * 2)
        text = file.read().decode(encoding.replace("utf-16", "utf-16-le"), errors="replace")
    lines = text.splitlines(keepends=True)[1:]
    return _read_records("".join(lines[-_MOST_RECORDS:]), delimiter, quote)


def _guess_quote(text: str) -> Guess[str]:
    """Returns apostrophes if they quote cells and double quotes do not, else double quotes."""

    def count_quoted(mark: str) -> int:
        return len(re.findall(rf"(?m)(?:^|[,;\t|]){mark}[^{mark}\n]*{mark}(?=[,;\t|\r\n]|$)", text))

    double, single = count_quoted('"'), count_quoted("'")
    is_header_quoted = re.match(r"\s*'[^'\n]*'([,;\t| ]'[^'\n]*')+\s*?\n", text)
    if single > 1 and not double and (single >= text.count("\n") / 2 or is_header_quoted):
        return Guess("'", "apostrophes quote the cells")
    return Guess('"', "double quotes quote the cells" if double else "default; no cell is quoted")


def _read_records(text: str, delimiter: str, quote: str) -> list[list[str]]:
    """Returns the first records, without a last record that the end of `text` may have cut off."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote)
    records: list[list[str]] = []
    try:
        for record in reader:
            records.append(record)
            if len(records) > _MOST_RECORDS:
                break
    except csv.Error:
        return []
    is_whole_file = len(text) < _HEAD_BYTES // _MOST_BYTES_OF_CHARACTER
    is_whole = text.endswith(("\n", "\r")) or is_whole_file
    records = records if is_whole and len(records) <= _MOST_RECORDS else records[:-1]
    return [r for r in records if r]


def _measure_consistency(records: Sequence[Sequence[str]]) -> tuple[float, int]:
    """Returns the share of records as wide as the header, and that width; zeros for one cell."""
    width = len(records[0]) if records else 0
    if width < 2:
        return 0, 0
    return sum(len(r) == width for r in records) / len(records), width
