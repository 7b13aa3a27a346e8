"""Bad rows: rows that get no prediction, with their place and the reason."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.core.text import printable
from serving.batch.results.output_files import OutputFiles

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


def write_bad_rows(files: OutputFiles, rows: Iterable[tuple[str, BadRow]]) -> int:
    """Writes pairs of an input file and a bad row to the side file; returns their number."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    count = 0
    for file, row in rows:
        writer.writerow((printable(file), row.line, printable(row.column), printable(row.reason)))
        count += 1
    files.write(BAD_ROWS_FILE, text.getvalue().encode(), durable=False)
    return count
