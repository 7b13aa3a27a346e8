"""Finishes a file whose parts are written: finds the lines of bad rows, and records the file."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from components.tables.csv_diagnosis import locate_rows, refuse_unclosed_quote
from components.tables.readers import read_header
from pipeline.core.text import counted
from serving.batch.results.bad_rows import BadRow
from serving.batch.results.records import BadCellOfPart, FinishedFile, Records
from serving.batch.rows.input_files import InputFile
from serving.batch.task import Task


def finish_file(task: Task, file: InputFile, ragged: int) -> FinishedFile:
    """Records that all parts of a file are written.

    Args:
      ragged: the number of ragged rows in the file.

    Raises:
      DataError: a ragged row is one because a quote is never closed.
    """
    records = Records(task.output)
    parts = records.read_parts(file)
    cells = [cell for part in parts for cell in part.bad]
    finished = FinishedFile(parts, locate_bad_rows(task, file, cells, ragged))
    records.write_file(file, finished)
    return finished


def locate_bad_rows(
    task: Task, file: InputFile, cells: Sequence[BadCellOfPart], ragged: int
) -> tuple[BadRow, ...]:
    """Returns the bad rows with their lines; finding lines takes a second per million rows.

    Raises:
      DataError: see `finish_file`.
    """
    if file.source == "parquet":
        return tuple(BadRow(cell.row + 1, cell.column, cell.reason) for cell in cells)
    if not cells and not ragged:
        return ()
    path, data = file.path, file.data(task)
    if ragged:
        # The rest of the file would be one ragged row.
        refuse_unclosed_quote(path, data)
    width = len(read_header(path, data).names)
    lines, uneven = locate_rows(path, data, {cell.row for cell in cells}, width)
    rows = [BadRow(lines[cell.row], cell.column, cell.reason) for cell in cells]
    rows += [
        BadRow(row.line, "", f"expected {counted(width, 'cell')}, found {row.cells:,}", row.lines)
        for row in uneven
    ]
    return tuple(sorted(rows, key=attrgetter("line")))
