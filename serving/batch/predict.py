"""Predicts: scores all files that are not finished, and completes the output directory.

The manifest and `_SUCCESS` are written last, and removed before anything else is written. So an
output directory with `_SUCCESS` is complete.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

from components.tables.csv_diagnosis import locate_rows, refuse_unclosed_quote
from components.tables.readers import read_header
from pipeline.core.errors import ConfigError, DataError
from pipeline.core.files import try_lock, write_text_atomically
from pipeline.core.imports import quick_imports
from pipeline.core.text import counted, readable_json
from serving.batch.outcome import Outcome
from serving.batch.results.bad_rows import BAD_ROWS_FILE, BadRow, write_bad_rows
from serving.batch.results.records import BadCellOfPart, FinishedFile, Records
from serving.batch.results.row_counter import Report, RowCounter, TooManyBadRowsError
from serving.batch.results.row_limit import RowLimit
from serving.batch.rows.input_files import InputFile, find_input_files
from serving.batch.task import Task

MANIFEST = "manifest.json"
SUCCESS = "_SUCCESS"
_LOCK = ".lock"


def predict(task: Task, report: Report = lambda rows, bad: None) -> Outcome:
    """Scores the files of a task; what an earlier, killed prediction finished is kept.

    Raises:
      ConfigError: no file matches, the model cannot be loaded, a column is missing, or the output
        directory cannot be used.
      DataError: a file cannot be read, or too many rows are bad.
    """
    limit = RowLimit.parse(task.max_bad_rows, has_key=task.key is not None)
    with _lock(Path(task.output)):
        records = Records(task.output)
        files = find_input_files(task)
        pending = _prepare(task, records, files)
        done = {file.name: record for file in files if (record := records.read_file(file))}
        counter = RowCounter(limit, report)
        for record in done.values():
            counter.add_finished(record.rows, record.bad_rows)
        seconds, before = 0.0, counter.rows
        if pending:
            scored, seconds = _score(task, records, pending, counter, done)
            done |= scored
        outcome = Outcome(
            version=task.version,
            output=task.output,
            files=len(files),
            reused_files=len(files) - len(pending),
            rows=sum(record.rows for record in done.values()),
            bad_rows=sum(record.bad_rows for record in done.values()),
            rows_per_second=(counter.rows - before) / seconds if seconds else None,
        )
        _complete(task, files, done, outcome, limit)
    return outcome


@contextlib.contextmanager
def _lock(output: Path) -> Iterator[None]:
    """Makes the output directory and locks it for this process."""
    try:
        output.mkdir(parents=True, exist_ok=True)
        file = (output / _LOCK).open("a", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"--output {output}: cannot be written: {error.strerror}") from None
    with file:
        if not try_lock(file.fileno()):
            raise ConfigError(
                f"--output {output}: another prediction is at work here",
                "wait for its end, or name another directory",
            )
        yield


def _prepare(task: Task, records: Records, files: Sequence[InputFile]) -> list[InputFile]:
    """Returns the files without valid predictions, after removing what is no longer valid.

    Raises:
      ConfigError: the directory holds predictions of other files.
    """
    by_name = {file.name: file for file in files}
    others = records.find_others(by_name)
    foreign = [content["name"] for _, content in others if content.get("name", "") not in by_name]
    if foreign and not task.overwrite:
        raise ConfigError(
            f"--output {task.output}: holds predictions for '{foreign[0]}', which --input does not "
            "name",
            "name another directory, or remove them with --overwrite",
        )
    pending = [file for file in files if records.read_file(file) is None]
    if pending or others:
        for name in (SUCCESS, MANIFEST, BAD_ROWS_FILE):
            (records.output / name).unlink(missing_ok=True)
    records.sweep_staged()
    for path, content in others:
        records.remove(path, content)
    return pending


def _score(
    task: Task,
    records: Records,
    pending: Sequence[InputFile],
    counter: RowCounter,
    done: Mapping[str, FinishedFile],
) -> tuple[dict[str, FinishedFile], float]:
    """Scores the files; returns their records by name, and the seconds without loading."""
    # Imported here: it imports TensorFlow, which a repeated prediction does not need.
    with quick_imports():
        from serving.batch.file_scoring import FileScorer

    if task.beam is not None:
        raise NotImplementedError
    scorer = FileScorer(task)
    # Before the first row: a column that is missing in the last file is told at once.
    for file in pending:
        scorer.layout_of(file)
    started = time.perf_counter()
    scored: dict[str, FinishedFile] = {}
    for file in pending:
        counter.begin_file()
        try:
            ragged = scorer.score_range(file, 0, None, counter)
        except TooManyBadRowsError:
            bad = _locate(task, file, counter.cells, counter.ragged)
            found = {**done, **scored, file.name: FinishedFile((), bad)}
            raise _refuse(task, pending, found, counter.rows) from None
        scored[file.name] = _finish(task, records, file, ragged)
    return scored, time.perf_counter() - started


def _finish(task: Task, records: Records, file: InputFile, ragged: int) -> FinishedFile:
    """Records that all parts of a file are written."""
    parts = records.read_parts(file)
    cells = [cell for part in parts for cell in part.bad]
    finished = FinishedFile(parts, _locate(task, file, cells, ragged))
    records.write_file(file, finished)
    return finished


def _locate(
    task: Task, file: InputFile, cells: Sequence[BadCellOfPart], ragged: int
) -> tuple[BadRow, ...]:
    """Returns the bad rows with their lines; finding lines takes a second per million rows."""
    if file.source == "parquet":
        return tuple(BadRow(cell.row + 1, cell.column, cell.reason) for cell in cells)
    if not cells and not ragged:
        return ()
    path, data = Path(file.path), file.data(task)
    if ragged:
        # The rest of the file would be one ragged row.
        refuse_unclosed_quote(path, data)
    width = len(read_header(path, data))
    lines, bent = locate_rows(path, data, {cell.row for cell in cells}, width)
    rows = [BadRow(lines[cell.row], cell.column, cell.reason) for cell in cells]
    rows += [
        BadRow(row.line, "", f"expected {counted(width, 'cell')}, found {row.cells:,}", row.lines)
        for row in bent
    ]
    return tuple(sorted(rows, key=attrgetter("line")))


def _refuse(
    task: Task, files: Sequence[InputFile], found: Mapping[str, FinishedFile], rows: int
) -> DataError:
    """Writes the side file of bad rows; returns the error of too many."""
    count = write_bad_rows(task.output, _list_bad(files, found))
    limit = RowLimit.parse(task.max_bad_rows, has_key=task.key is not None)
    first = next(_list_bad(files, found))
    column = f"column '{first[1].column}': " if first[1].column else ""
    return DataError(
        f"{counted(count, 'bad row')} of {rows:,}, but --max-bad-rows allows {limit}; the first: "
        f"{first[0]}:{first[1].line}: {column}{first[1].reason}",
        f"all are in {os.path.join(task.output, BAD_ROWS_FILE)}; correct them, or raise the limit",
    )


def _list_bad(
    files: Iterable[InputFile], found: Mapping[str, FinishedFile]
) -> Iterator[tuple[str, BadRow]]:
    """Yields each bad row with its file."""
    for file in files:
        if file.name in found:
            for row in found[file.name].bad:
                yield file.path, row


def _complete(
    task: Task,
    files: Sequence[InputFile],
    done: Mapping[str, FinishedFile],
    outcome: Outcome,
    limit: RowLimit,
) -> None:
    """Writes the side file, the manifest and, last, `_SUCCESS`.

    Raises:
      DataError: too many rows are bad.
    """
    rows = outcome.rows + outcome.bad_rows
    if limit.is_exceeded(outcome.bad_rows, rows):
        raise _refuse(task, files, done, rows)
    write_bad_rows(task.output, _list_bad(files, done))
    manifest = {
        "version": task.version,
        "model": task.model,
        "settings": task.describe_result(),
        "rows": outcome.rows,
        "bad_rows": outcome.bad_rows,
        "files": [_describe(file, done[file.name]) for file in files],
    }
    for name, text in ((MANIFEST, readable_json(manifest)), (SUCCESS, "")):
        write_text_atomically(os.path.join(task.output, name), text, durable=True)


def _describe(file: InputFile, record: FinishedFile) -> dict[str, Any]:
    return {
        "input": file.path,
        "rows": record.rows,
        "bad_rows": record.bad_rows,
        "outputs": [{"path": part.output, "rows": part.rows} for part in record.parts],
    }
