"""Scores files with Apache Beam: each element is a range of rows, which writes its parts itself.

The workers need the same paths as this process: the input, the model and the output lie on a file
system that all of them see. Nothing but the ranges goes through Beam.

An engine repeats a range whose worker died. The parts that the dead worker finished have records,
and are not scored again. An unfinished part has a name of its own for each attempt; this process
removes such files at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.utils.shared import Shared

from components.beam_workers import guard_beam_workers
from components.tables.parquet.parquet_batches import open_parquet
from components.worker_threads import count_threads
from pipeline.config.sections.beam import RUNNER
from pipeline.core.errors import PipelineError
from serving.batch.file_scoring import FileScorer
from serving.batch.results.finishing import finish_file
from serving.batch.results.records import FinishedFile, Records
from serving.batch.results.refusals import Refusals
from serving.batch.results.row_counter import RowCounter
from serving.batch.results.row_limit import RowLimit
from serving.batch.rows.input_files import InputFile
from serving.batch.rows.slices import list_ranges
from serving.batch.task import Task


@dataclass(frozen=True)
class Range:
    """Rows of a file that one worker scores."""

    number: int
    """The ranges are numbered in the order in which one machine scores them."""
    file: InputFile
    first_row: int
    last_row: int | None
    """The row after the last one; None for the end of the file."""


def score_with_beam(task: Task, files: Sequence[InputFile]) -> dict[str, FinishedFile]:
    """Scores files, and returns their records by name.

    Raises:
      PipelineError: a worker refused a file, or the model cannot compute some rows. Of several such
        errors, this is the first one in the order of the files.
    """
    flags = [RUNNER, *(task.beam or ())]
    refusals, records = Refusals(task.output), Records(task.output)
    refusals.take_first()
    guard_beam_workers()
    try:
        with beam.Pipeline(options=PipelineOptions(flags)) as pipeline:
            _ = (
                pipeline
                | "Ranges" >> beam.Create(_list_ranges(task, files))
                # Otherwise one worker would have all ranges.
                | "Spread" >> beam.Reshuffle()
                | "Score" >> beam.ParDo(ScoreRange(task, count_threads(flags)))
            )
    except Exception as error:
        if refusal := refusals.take_first():
            raise refusal from error
        raise
    finally:
        records.sweep_staged()
    if refusal := refusals.take_first():
        raise refusal
    return {
        file.name: records.read_file(file) or finish_file(task, file, ragged=0) for file in files
    }


class ScoreRange(beam.DoFn):
    """Writes the parts of a range, with the code that scores files on one machine."""

    def __init__(self, task: Task, threads: int) -> None:
        self._task = task
        self._threads = threads
        self._shared = Shared()
        self._scorer: FileScorer

    def setup(self) -> None:
        """Loads the model, once for each process."""
        make: Callable[[], FileScorer] = lambda: FileScorer(self._task, self._threads)  # noqa: E731
        self._scorer = self._shared.acquire(make)

    def process(self, element: Range) -> None:
        """Scores a range; the limit of bad rows is judged when all rows are counted."""
        refusals = Refusals(self._task.output)
        first = refusals.find_first()
        if first is not None and first < element.number:
            # The prediction fails anyway, with the error of an earlier range.
            return
        try:
            self._score(element)
        except PipelineError as error:
            refusals.write(element.number, error)

    def _score(self, element: Range) -> None:
        file = element.file
        if Records(self._task.output).read_file(file):
            # An earlier attempt finished the file, and its engine did not notice.
            return
        counter = RowCounter(RowLimit(share=1.0))
        ragged = self._scorer.score_range(file, element.first_row, element.last_row, counter)
        if file.source == "csv":
            finish_file(self._task, file, ragged)


def _list_ranges(task: Task, files: Sequence[InputFile]) -> list[Range]:
    ranges = [
        (file, first, last)
        for file in files
        for first, last in list_ranges(_count_rows(file), task.part_rows)
    ]
    return [Range(number, *of_file) for number, of_file in enumerate(ranges)]


def _count_rows(file: InputFile) -> int | None:
    if file.source != "parquet":
        return None
    with open_parquet(file.path) as opened:
        return int(opened.metadata.num_rows)
