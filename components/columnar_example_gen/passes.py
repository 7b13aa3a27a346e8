"""The four ways in which ExampleGen goes over all rows of a table, and how this process does it.

`on_workers/` has the other way to do it. Whatever decides, and every message to the user, is in
`ingest`, which knows no difference between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from components.columnar_example_gen.ingest_config import IngestConfig
from components.columnar_example_gen.label_checks import LabelCheck
from components.columnar_example_gen.parts import Part, list_sources
from components.columnar_example_gen.stray_text import StrayCount, count_stray_text
from components.columnar_example_gen.times.boundaries import (
    TimeQuestion,
    TimeSurvey,
    survey_times,
)
from components.columnar_example_gen.writing import Shards, write_parts
from components.tables.splitting.splits import Splitter
from components.tables.typed_table import InferredType, TypedTable, infer_types


class Passes(Protocol):
    """Goes over the parts of a table.

    Whoever does it, each pass raises what `ingest` raises for the first row, in the order of the
    files, that cannot be read.
    """

    def count_stray_text(self, columns: Sequence[str]) -> Mapping[str, StrayCount]:
        """Counts the texts in columns of numbers."""

    def infer_types(self, columns: Sequence[str]) -> dict[str, InferredType]:
        """Returns the narrowest types that hold all values of the columns."""

    def survey_times(self, table: TypedTable, question: TimeQuestion) -> TimeSurvey:
        """Counts the times of a column."""

    def write(self, table: TypedTable, splitter: Splitter, labels: LabelCheck) -> Shards:
        """Writes unfinished shards into the prepared directories, and counts the labels."""


MakePasses: TypeAlias = Callable[[Sequence[Part]], Passes]


@dataclass(frozen=True)
class LocalPasses:
    """Reads the files one after the other, in this process."""

    config: IngestConfig
    directories: Mapping[str, Path]
    parts: Sequence[Part]

    def count_stray_text(self, columns: Sequence[str]) -> Mapping[str, StrayCount]:
        counts = {name: StrayCount() for name in columns}
        count_stray_text(list_sources(self.parts), self.config.data, counts)
        return counts

    def infer_types(self, columns: Sequence[str]) -> dict[str, InferredType]:
        return infer_types(list_sources(self.parts), self.config.data, columns)

    def survey_times(self, table: TypedTable, question: TimeQuestion) -> TimeSurvey:
        return survey_times(table, question)

    def write(self, table: TypedTable, splitter: Splitter, labels: LabelCheck) -> Shards:
        return write_parts(table, self.parts, splitter, labels, self.directories)
