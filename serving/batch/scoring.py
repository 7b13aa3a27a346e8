"""Scores the files without predictions, in threads of this process or with Beam."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence

from pipeline.core.stores.waiting import map_requests
from serving.batch.file_scoring import FileScorer
from serving.batch.results.completing import refuse_bad_rows
from serving.batch.results.finishing import finish_file, locate_bad_rows
from serving.batch.results.records import FinishedFile
from serving.batch.results.row_counter import RowCounter, TooManyBadRowsError
from serving.batch.rows.input_files import InputFile
from serving.batch.task import Task


def score_files(
    task: Task, files: Sequence[InputFile], done: Mapping[str, FinishedFile], counter: RowCounter
) -> tuple[dict[str, FinishedFile], float]:
    """Scores the files that are not done.

    Returns:
      The records of these files by name, and the seconds after the model was loaded.

    Raises:
      ConfigError: the model cannot be loaded, or a named column is missing.
      DataError: a file cannot be read, or too many rows are bad.
    """
    pending = [file for file in files if file.name not in done]
    scorer = FileScorer(task)
    # Before the first row: a column that is missing in the last file is told at once.
    deque(map_requests(scorer.layout_of, pending), maxlen=0)
    started = time.perf_counter()
    if task.beam is None:
        scored = _score_here(task, files, done, scorer, counter)
    else:
        # Imported here: Beam takes seconds to load.
        from serving.batch.beam import score_with_beam

        scored = score_with_beam(task, pending)
        for record in scored.values():
            counter.add_finished(record.rows, record.bad_rows)
    return scored, time.perf_counter() - started


def _score_here(
    task: Task,
    files: Sequence[InputFile],
    done: Mapping[str, FinishedFile],
    scorer: FileScorer,
    counter: RowCounter,
) -> dict[str, FinishedFile]:
    scored: dict[str, FinishedFile] = {}
    for file in files:
        if file.name in done:
            continue
        counter.begin_file()
        try:
            ragged = scorer.score_range(file, 0, None, counter)
        except TooManyBadRowsError:
            bad = locate_bad_rows(task, file, counter.cells, counter.ragged)
            found = {**done, **scored, file.name: FinishedFile((), bad)}
            raise refuse_bad_rows(task, files, found, counter.rows) from None
        scored[file.name] = finish_file(task, file, ragged)
    return scored
