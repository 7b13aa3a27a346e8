"""Completes an output directory: the side file of bad rows, the manifest and, last, `_SUCCESS`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pipeline.core.errors import DataError
from pipeline.core.text import counted, readable_json
from serving.batch.results.bad_rows import BAD_ROWS_FILE, BadRow, write_bad_rows
from serving.batch.results.output_files import open_output
from serving.batch.results.records import FinishedFile
from serving.batch.results.row_limit import RowLimit
from serving.batch.rows.input_files import InputFile
from serving.batch.task import Task

MANIFEST = "manifest.json"
SUCCESS = "_SUCCESS"
_LAST_FILES = (SUCCESS, MANIFEST, BAD_ROWS_FILE)
"""What a complete directory has beside the predictions, in the order of removal."""


def complete_output(
    task: Task, files: Sequence[InputFile], done: Mapping[str, FinishedFile], limit: RowLimit
) -> None:
    """Writes the last files when all predictions are written.

    Args:
      done: the record of each file, by its name.

    Raises:
      DataError: too many rows are bad.
    """
    rows = sum(record.rows for record in done.values())
    bad = sum(record.bad_rows for record in done.values())
    if limit.is_exceeded(bad, rows + bad):
        raise refuse_bad_rows(task, files, done, rows + bad)
    output = open_output(task.output)
    output.sync(part.output for record in done.values() for part in record.parts)
    write_bad_rows(output, _list_bad(files, done))
    manifest = {
        "version": task.version,
        "model": task.model,
        "settings": task.describe_result(),
        "rows": rows,
        "bad_rows": bad,
        "files": [_describe(file, done[file.name]) for file in files],
    }
    for name, text in ((MANIFEST, readable_json(manifest)), (SUCCESS, "")):
        output.write(name, text.encode(), durable=True)


def refuse_bad_rows(
    task: Task, files: Sequence[InputFile], found: Mapping[str, FinishedFile], rows: int
) -> DataError:
    """Writes the side file of bad rows; returns the error of too many among `rows`.

    The directory is not complete any more, if an earlier prediction with a higher limit completed
    it.
    """
    remove_last_files(task.output)
    output = open_output(task.output)
    count = write_bad_rows(output, _list_bad(files, found))
    limit = RowLimit.parse(task.max_bad_rows, has_key=task.key is not None)
    first = next(_list_bad(files, found))
    column = f"column '{first[1].column}': " if first[1].column else ""
    return DataError(
        f"{counted(count, 'bad row')} of {rows:,}, and the limit is {limit}; the first: "
        f"{first[0]}:{first[1].line}: {column}{first[1].reason}",
        f"{output.locate(BAD_ROWS_FILE)} has all; correct them, or raise the limit "
        "with --max-bad-rows or prediction.max_bad_rows",
    )


def remove_last_files(output: str) -> None:
    """Makes the directory incomplete; the predictions stay."""
    files = open_output(output)
    for name in _LAST_FILES:
        files.remove(name)


def _list_bad(
    files: Iterable[InputFile], found: Mapping[str, FinishedFile]
) -> Iterator[tuple[str, BadRow]]:
    """Yields each bad row with its file."""
    for file in files:
        if file.name in found:
            for row in found[file.name].bad:
                yield str(file.path), row


def _describe(file: InputFile, record: FinishedFile) -> dict[str, Any]:
    return {
        "input": str(file.path),
        "rows": record.rows,
        "bad_rows": record.bad_rows,
        "outputs": [{"path": part.output, "rows": part.rows} for part in record.parts],
    }
