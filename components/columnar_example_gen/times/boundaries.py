"""Finds the two times that divide a table into train, eval and test.

The boundaries depend on the whole time column. So a pass of its own, a survey, reads the column
before the first row is assigned. The surveys of parts of a table merge to the survey of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from components.columnar_example_gen.times.histogram import Histogram
from components.columnar_example_gen.times.tally import Cells, TimeTally, Windows, read_key
from components.tables.arrays import is_present
from components.tables.file_block import FileBlock
from components.tables.readers import describe_place
from components.tables.sources.table_path import TablePath
from components.tables.splitting.splits import TimeSplitter
from components.tables.timestamps import parse_times
from components.tables.typed_table import TypedTable
from pipeline.core.date_formats import DATE_FORMATS
from pipeline.core.errors import DataError
from pipeline.core.zones import AS_WRITTEN, NONE

_TimesOf = Callable[[pa.Array], pa.Array]


@dataclass(frozen=True)
class TimeQuestion:
    """What a survey shall count."""

    column: str
    label_column: str
    """Only the times of rows with a label count."""
    readings: tuple[int, ...]
    """The ways to read the column that are tried, by their position in `list_readings`."""
    windows: Windows | None = None
    """The times to count; by default all."""


@dataclass(frozen=True)
class Misfit:
    """The first cell that is no time in one way to read the column."""

    part: int
    block: int
    """Number of the block within the part."""
    path: TablePath
    row: int
    """Index of the row in the file."""
    cell: str
    """The cell, as a message quotes it."""


@dataclass
class TimeSurvey:
    """The answer to a question; for each reading, either the rows by time or the first misfit."""

    cells: dict[int, Cells]
    misfits: dict[int, Misfit]

    def merge(self, other: TimeSurvey, most: int) -> TimeSurvey:
        """Returns the survey of the rows of both parts, with at most `most` cells a reading."""
        misfits = {**other.misfits}
        for reading, own in self.misfits.items():
            found = misfits.get(reading, own)
            misfits[reading] = min(own, found, key=lambda misfit: misfit.part)
        cells = {
            reading: own.merge(other.cells[reading], most=most)
            for reading, own in self.cells.items()
            if reading not in misfits
        }
        return TimeSurvey(cells, misfits)

    def find_misfit(self) -> Misfit | None:
        """Returns the first cell that fits no reading which all cells before it fit, or None."""
        if self.cells:
            return None
        # The reading that fits the most leading cells is most probably the right one.
        return max(self.misfits.values(), key=lambda m: (m.part, m.block, m.row))


def list_readings(table: TypedTable, column: str) -> list[_TimesOf]:
    """Returns the ways to read the column, the preferred way first."""
    if table.types[column] != "string":
        return [_take_numbers]
    known = table.data.split.time_format
    zone = table.data.split.time_zone or AS_WRITTEN
    formats = (known,) if known else tuple(DATE_FORMATS)
    return [partial(parse_times, time_format=each, zone=zone) for each in formats]


def survey_times(
    table: TypedTable, question: TimeQuestion, part: int = 0, most: int | None = None
) -> TimeSurvey:
    """Reads the column; stops at the first block that no reading fits.

    Args:
      part: the number of the part of the table that `table.sources` are.
      most: the largest number of cells; None for a cell of each time. At least 18, two for each
        window of `Histogram.find_unclear`: with fewer, a repetition may divide no window.
    """
    surveyor = Surveyor(table, question, part, most)
    surveyor.read()
    return surveyor.report()


class Surveyor:
    """Counts times block by block. After an error, `report` tells about the blocks before."""

    def __init__(
        self, table: TypedTable, question: TimeQuestion, part: int, most: int | None
    ) -> None:
        self._table = table
        self._question = question
        self._part = part
        readings = list_readings(table, question.column)
        self._times_of = {reading: readings[reading] for reading in question.readings}
        self._tallies = {r: TimeTally(most, question.windows) for r in question.readings}
        self._misfits: dict[int, Misfit] = {}

    def read(self) -> None:
        """Counts the times of all rows; stops at the first block that no reading fits.

        Raises:
          DataError: see `TypedTable.blocks`.
          ContradictedTypeError: see `TypedTable.blocks`.
        """
        names = list(dict.fromkeys((self._question.column, self._question.label_column)))
        for number, block in enumerate(self._table.blocks(names)):
            self._add(block, number)
            if not self._tallies:
                return

    def report(self) -> TimeSurvey:
        """Returns what the blocks so far have."""
        return TimeSurvey({r: t.read() for r, t in self._tallies.items()}, self._misfits)

    def _add(self, block: FileBlock, number: int) -> None:
        cells, labels = (
            _get_column(block, name)
            for name in (self._question.column, self._question.label_column)
        )
        labelled = pc.if_else(pc.is_valid(labels), cells, pa.scalar(None, cells.type))
        for reading, tally in list(self._tallies.items()):
            times = self._times_of[reading](labelled)
            if times.null_count > labelled.null_count:
                row = int(np.argmax(is_present(labelled) & ~is_present(times)))
                self._misfits[reading] = Misfit(
                    self._part, number, block.path, block.first_row + row, _quote(labelled, row)
                )
                del self._tallies[reading]
                continue
            tally.add(times.drop_null().to_numpy())


def build_time_splitter(
    table: TypedTable,
    column: str,
    label_column: str,
    survey: Callable[[TypedTable, TimeQuestion], TimeSurvey] = survey_times,
) -> TimeSplitter:
    """Returns a splitter with boundaries at quantiles of the times of the rows with a label.

    Rows with equal times share a split.

    Args:
      survey: goes over the table, as often as its answers leave a boundary unclear.

    Raises:
      DataError: a cell is no time, or there are fewer than three distinct times.
    """
    readings = list_readings(table, column)
    question = TimeQuestion(column, label_column, tuple(range(len(readings))))
    found = survey(table, question)
    if misfit := found.find_misfit():
        raise make_misfit_error(table, column, misfit)
    chosen = min(found.cells)
    histogram = Histogram.of(found.cells[chosen])
    if len(histogram.starts) < 3:
        raise DataError(
            "data.split.column: a split by time needs three distinct times, one for each of "
            f"train, eval and test; '{column}' has {len(histogram.starts)}"
        )
    while windows := histogram.find_unclear(table.data.split):
        again = TimeQuestion(column, label_column, (chosen,), windows)
        histogram = histogram.refine(windows, survey(table, again).cells[chosen])
    kind = "float32" if table.types[column] == "float" else "int64"
    train, evaluation = (
        read_key(histogram.starts[at].item(), kind) for at in histogram.choose(table.data.split)
    )
    return TimeSplitter(column, (train, evaluation), readings[chosen])


def make_misfit_error(table: TypedTable, column: str, misfit: Misfit) -> DataError:
    """Returns the error of a table in which `TimeSurvey.find_misfit` found a cell."""
    place = describe_place(misfit.path, misfit.row, table.data)
    offset = ", without an offset from UTC" if table.data.split.time_zone == NONE else ""
    return DataError(
        f"{place}: column '{column}': {misfit.cell} is not a time like those before it",
        "data.split.column must hold numbers, or dates of one form: 2026-11-20T14:40:00, "
        f"11/20/2026 02:40:00 PM or 20.11.2026 14:40{offset}",
    )


def _take_numbers(numbers: pa.Array) -> pa.Array:
    return numbers


def _get_column(block: FileBlock, name: str) -> pa.Array:
    return block.batch.column(block.batch.schema.get_field_index(name))


def _quote(cells: pa.Array, row: int) -> str:
    return repr(cells[row].as_py())
