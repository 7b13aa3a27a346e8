"""Bad rows: rows that get no prediction, with their place and the reason."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.core.files import write_text_atomically
from pipeline.core.text import printable

BAD_ROWS_FILE = "bad_rows.csv"
_COLUMNS = ("file", "line", "column", "reason")


@dataclass(frozen=True)
class BadRow:
    """A row of an input file that cannot be scored."""

    line: int
    """The line at which the row begins (CSV), or the number of the row (Parquet), from 1."""
    column: str
    """The column of the bad cell; empty if the row as a whole is bad."""
    reason: str
    lines: int = 1
    """The lines that the row takes; an open quote swallows the rows after it."""


def write_bad_rows(output: str, rows: Iterable[tuple[str, BadRow]]) -> int:
    """Writes pairs of an input file and a bad row to the side file; returns their number."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    count = 0
    for file, row in rows:
        writer.writerow((printable(file), row.line, printable(row.column), printable(row.reason)))
        count += 1
    write_text_atomically(os.path.join(output, BAD_ROWS_FILE), text.getvalue(), durable=False)
    return count
