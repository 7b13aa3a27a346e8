"""Predicts: scores all files that are not finished, and completes the output directory.

The manifest and `_SUCCESS` are written last, and removed before anything else is written. So an
output directory with `_SUCCESS` is complete.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.core.errors import ConfigError
from pipeline.core.imports import quick_imports
from serving.batch.outcome import Outcome
from serving.batch.results.completing import complete_output, remove_last_files
from serving.batch.results.output_directory import own_output
from serving.batch.results.records import FinishedFile, Records
from serving.batch.results.row_counter import Report, RowCounter
from serving.batch.results.row_limit import RowLimit
from serving.batch.rows.input_files import InputFile, find_input_files
from serving.batch.task import Task


def predict(task: Task, report: Report = lambda rows, bad: None) -> Outcome:
    """Scores the files of a task; what an earlier, killed prediction finished is kept.

    Raises:
      ConfigError: no file matches, the model cannot be loaded, a column is missing, or the output
        directory cannot be used.
      DataError: a file cannot be read, or too many rows are bad.
    """
    limit = RowLimit.parse(task.max_bad_rows, has_key=task.key is not None)
    with own_output(task.output):
        records = Records(task.output)
        files = find_input_files(task)
        done = _prepare(task, records, files)
        reused = len(done)
        counter = RowCounter(limit, report)
        for record in done.values():
            counter.add_finished(record.rows, record.bad_rows)
        pending = [file for file in files if file.name not in done]
        seconds, before = 0.0, counter.rows + records.count_rows(pending)
        if reused < len(files):
            # Imported here: it imports TensorFlow, which a repeated prediction does not need.
            with quick_imports():
                from serving.batch.scoring import score_files

            scored, seconds = score_files(task, files, done, counter)
            done |= scored
        scored_rows = counter.rows - before
        complete_output(task, files, done, limit)
    return Outcome(
        version=task.version,
        output=task.output,
        files=len(files),
        reused_files=reused,
        rows=sum(record.rows for record in done.values()),
        bad_rows=sum(record.bad_rows for record in done.values()),
        rows_per_second=scored_rows / seconds if scored_rows and seconds else None,
    )


def _prepare(task: Task, records: Records, files: Sequence[InputFile]) -> dict[str, FinishedFile]:
    """Removes what is no longer valid; returns the records of the files that are done, by name.

    Raises:
      ConfigError: the directory holds predictions of other files.
    """
    by_name = {file.name: file for file in files}
    others = records.find_others(by_name)
    names = (content.get("name") for _, content in others)
    foreign = [name for name in names if name is not None and name not in by_name]
    if foreign and not task.overwrite:
        raise ConfigError(
            f"--output {task.output}: holds predictions for '{foreign[0]}', which --input does not "
            "name",
            "name another directory, or remove them with --overwrite",
        )
    if others:
        remove_last_files(task.output)
    records.sweep_staged()
    for name, content in others:
        records.remove(name, content)
    done = records.read_files(files)
    if len(done) < len(files):
        remove_last_files(task.output)
    return done
