"""Scores the rows of a file: casts cells, calls the model, and writes parts in the rows' order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

import numpy as np
import pyarrow as pa

from components.tables.parquet.parquet_file import read_parquet_types
from pipeline.config import DataConfig
from pipeline.core.errors import DataError, PipelineError
from pipeline.core.processes import available_cores
from pipeline.core.threads import read_ahead
from serving.batch.results.output_files import open_output
from serving.batch.results.part_writer import PartWriter
from serving.batch.results.records import BadCellOfPart, Part, Records
from serving.batch.results.row_counter import RowCounter
from serving.batch.rows.cells import cast_columns, find_missing
from serving.batch.rows.input_files import InputFile
from serving.batch.rows.layout import Layout, make_layout
from serving.batch.rows.slices import Slice, iter_slices
from serving.batch.scorer import Scorer
from serving.batch.task import Task


@dataclass(frozen=True)
class _Scored:
    part: int
    table: pa.Table
    bad: tuple[BadCellOfPart, ...]


class FileScorer:
    """Scores files with one model; the same code runs on one machine and in Beam's workers."""

    def __init__(self, task: Task, threads: int | None = None) -> None:
        """Loads the model.

        Args:
          threads: the slices that are worked on at once, by default one for each core.

        Raises:
          ConfigError: the model cannot be loaded.
        """
        self._task = task
        self._threads = threads or available_cores()
        self._scorer = Scorer(task.model, self._threads)
        self._files = open_output(task.output)
        self._records = Records(task.output)

    def layout_of(self, file: InputFile) -> Layout:
        """Returns the columns of a file; raises what `make_layout` raises."""
        outputs = [f"{self._task.prefix}{name}" for name in self._scorer.output_names]
        data = file.data(self._task)
        return make_layout(file.path, data, self._task, self._scorer.types, outputs)

    def score_range(
        self,
        file: InputFile,
        first_row: int,
        last_row: int | None,
        counter: RowCounter,
    ) -> int:
        """Writes the parts of a file from `first_row` to before `last_row` that are not finished.

        Returns:
          The number of ragged rows, which got no prediction.

        Raises:
          DataError: the file is damaged or lacks a column, or was changed meanwhile.
        """
        data, layout = file.data(self._task), self.layout_of(file)
        before = counter.ragged
        path, skip = file.path, counter.add_ragged
        part_rows = self._task.part_rows
        slices = iter_slices(path, data, layout.read, part_rows, first_row, last_row, skip)
        with ThreadPoolExecutor(self._threads) as pool:
            scored = self._score_slices(pool, slices, file, data, layout, counter)
            written = 0
            for number, tables in groupby(scored, attrgetter("part")):
                self._write_part(file, number, tables, counter)
                written += 1
        if not written and first_row == 0 and not self._records.read_part(file, 0):
            self._write_part(file, 0, iter([self._score_nothing(file, data, layout)]), counter)
        if file.has_changed():
            raise DataError(f"{file.path}: was changed while it was read", "predict again")
        return counter.ragged - before

    def _score_slices(
        self,
        pool: ThreadPoolExecutor,
        slices: Iterator[Slice],
        file: InputFile,
        data: DataConfig,
        layout: Layout,
        counter: RowCounter,
    ) -> Iterator[_Scored]:
        """Yields the predictions in order; a few slices more than threads are under way."""
        pending: deque[Future[_Scored]] = deque()
        for part, of_part in groupby(read_ahead(slices), attrgetter("part")):
            if finished := self._records.read_part(file, part):
                counter.add(finished.rows, finished.bad)
            for piece in of_part:
                if finished:
                    continue
                pending.append(pool.submit(self._score_slice, piece, data, layout))
                if len(pending) > 2 * self._threads:
                    yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()

    def _score_slice(self, piece: Slice, data: DataConfig, layout: Layout) -> _Scored:
        """Casts, scores and names the rows of a slice."""
        csv = data.csv if data.source == "csv" else None
        batch = piece.batch
        scorer = self._scorer
        columns, bad = cast_columns(batch, scorer.types, csv, data.types, scorer.times)
        if self._task.key is not None:
            bad = {**find_missing(batch, self._task.key), **bad}
        if bad:
            is_good = np.ones(batch.num_rows, np.bool_)
            is_good[list(bad)] = False
            kept = pa.array(is_good)
            batch = batch.filter(kept)
            columns = {name: array.filter(kept) for name, array in columns.items()}
        try:
            outputs = self._scorer.score(columns)
        except ValueError as error:
            rows = f"rows {piece.first_row + 1} to {piece.first_row + piece.batch.num_rows}"
            raise PipelineError(f"the model cannot compute {rows}: {error}") from error
        copied = {name: batch.column(batch.schema.get_field_index(name)) for name in layout.copied}
        table = pa.table(copied | {self._task.prefix + n: a for n, a in outputs.items()})
        cells = sorted(bad.values(), key=attrgetter("row"))
        return _Scored(
            piece.part,
            table,
            tuple(BadCellOfPart(piece.first_row + c.row, c.column, c.reason) for c in cells),
        )

    def _write_part(
        self, file: InputFile, number: int, tables: Iterator[_Scored], counter: RowCounter
    ) -> None:
        output = self._records.output_of(file, number, self._task.format)
        first = next(tables)
        bad = list(first.bad)
        self._records.note_part(file, number, output)
        with PartWriter(self._files, output, self._task.format, first.table.schema) as writer:
            writer.write(first.table)
            counter.add(first.table.num_rows, first.bad)
            for scored in tables:
                writer.write(scored.table)
                bad += scored.bad
                counter.add(scored.table.num_rows, scored.bad)
        part = Part(output, writer.rows, writer.bytes, tuple(bad))
        self._records.write_part(file, number, part)

    def _score_nothing(self, file: InputFile, data: DataConfig, layout: Layout) -> _Scored:
        """Returns the empty predictions of a file without rows, which still has columns."""
        types: dict[str, pa.DataType] = dict.fromkeys(layout.read, pa.string())
        if data.source == "parquet":
            stored = read_parquet_types(file.path)
            types |= {name: stored[name] for name in layout.read if name in stored}
        empty = pa.RecordBatch.from_arrays([pa.array([], t) for t in types.values()], list(types))
        return self._score_slice(Slice(0, 0, empty), data, layout)
