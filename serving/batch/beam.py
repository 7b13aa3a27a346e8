"""Scores files with Apache Beam: each element is a range of rows, which writes its parts itself.

The workers need the same paths as this process: the input, the model and the output lie on a file
system that all of them see. Nothing but the ranges goes through Beam.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import apache_beam as beam
import pyarrow.parquet as pq
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.utils.shared import Shared

from pipeline.config.sections.beam import RUNNER
from pipeline.core.errors import REFUSAL_FILE, DataError
from pipeline.core.files import write_text_atomically
from serving.batch.file_scoring import FileScorer
from serving.batch.results.finishing import finish_file
from serving.batch.results.records import RECORDS_DIRECTORY, FinishedFile, Records
from serving.batch.results.row_counter import RowCounter
from serving.batch.results.row_limit import RowLimit
from serving.batch.rows.input_files import InputFile
from serving.batch.rows.slices import list_ranges
from serving.batch.task import Task

Range = tuple[InputFile, int, int | None]
"""A file, its first row, and the row after the last one; None for the end of the file."""


def score_with_beam(task: Task, files: Sequence[InputFile]) -> dict[str, FinishedFile]:
    """Scores files, and returns their records by name.

    Raises:
      DataError: a worker refused a file.
    """
    ranges = [
        (file, first, last)
        for file in files
        for first, last in list_ranges(_count_rows(file), task.part_rows)
    ]
    options = PipelineOptions([RUNNER, *(task.beam or ())])
    refusal = _refusal_path(task)
    try:
        with beam.Pipeline(options=options) as pipeline:
            _ = (
                pipeline
                | "Ranges" >> beam.Create(ranges)
                # Otherwise one worker would have all ranges.
                | "Spread" >> beam.Reshuffle()
                | "Score" >> beam.ParDo(ScoreRange(task))
            )
    except Exception as error:
        if not os.path.exists(refusal):
            raise
        with open(refusal, encoding="utf-8") as file:
            refused = DataError.from_json(file.read())
        os.unlink(refusal)
        raise refused from error
    records = Records(task.output)
    return {
        file.name: records.read_file(file) or finish_file(task, file, ragged=0) for file in files
    }


class ScoreRange(beam.DoFn):
    """Writes the parts of a range, with the code that scores files on one machine."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._shared = Shared()
        self._scorer: FileScorer

    def setup(self) -> None:
        """Loads the model, once for each process."""
        make: Callable[[], FileScorer] = lambda: FileScorer(self._task)  # noqa: E731
        self._scorer = self._shared.acquire(make)

    def process(self, element: Range) -> None:
        """Scores a range; the limit of bad rows is judged when all rows are counted."""
        file, first, last = element
        try:
            counter = RowCounter(RowLimit(share=1.0))
            ragged = self._scorer.score_range(file, first, last, counter)
            if file.source == "csv":
                finish_file(self._task, file, ragged)
        except DataError as error:
            # Beam passes on at most the text of an exception.
            write_text_atomically(_refusal_path(self._task), error.to_json(), durable=False)
            raise


def _refusal_path(task: Task) -> str:
    return os.path.join(task.output, RECORDS_DIRECTORY, REFUSAL_FILE)


def _count_rows(file: InputFile) -> int | None:
    return int(pq.read_metadata(file.path).num_rows) if file.source == "parquet" else None
