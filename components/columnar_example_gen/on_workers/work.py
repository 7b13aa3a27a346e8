"""What a worker does with a part, for each of the four passes; and how the findings merge."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pydantic import TypeAdapter

from components.columnar_example_gen.ingest_config import IngestConfig
from components.columnar_example_gen.label_checks import LabelCheck, LabelTally
from components.columnar_example_gen.on_workers.refusals import Refusal, catch_refusal
from components.columnar_example_gen.parts import Part
from components.columnar_example_gen.stray_text import StrayCount, count_stray_text
from components.columnar_example_gen.times.boundaries import Surveyor, TimeQuestion, TimeSurvey
from components.columnar_example_gen.writing import Shards, write_parts
from components.tables.digests import FileDigest, digest_files
from components.tables.splitting.splits import Splitter
from components.tables.typed_table import TypedTable, TypeEvidence, collect_evidence
from pipeline.config import DataConfig

# Cells of a survey of times, for each way to read the column: 1 MB for each part at work. With
# more, fewer tables need a second survey.
_MOST_CELLS = 1 << 16

Found = TypeVar("Found")


class Work(Protocol[Found]):
    """What a pass does with each part; it is sent to the workers."""

    @property
    def kind(self) -> TypeAdapter[tuple[Found, Refusal | None]]:
        """The form of what is found, for JSON."""

    def examine(self, part: Part) -> tuple[Found, Refusal | None]:
        """Returns what the rows of the part hold, up to the row that was refused, if any was."""

    def merge(self, one: Found, other: Found) -> Found:
        """Returns what the rows of both hold; the order of parts and of merges does not matter."""


class _ByPart(Generic[Found]):
    """Work whose findings are few and stay apart, for a reader who needs the order of the parts."""

    def merge(self, one: dict[int, Found], other: dict[int, Found]) -> dict[int, Found]:
        return {**one, **other}


@dataclass(frozen=True)
class CountStrayText(_ByPart[dict[str, StrayCount]]):
    """Counts the texts in columns of numbers."""

    data: DataConfig
    columns: tuple[str, ...]

    @property
    def kind(self) -> TypeAdapter[tuple[dict[int, dict[str, StrayCount]], Refusal | None]]:
        return TypeAdapter(tuple[dict[int, dict[str, StrayCount]], Refusal | None])

    def examine(self, part: Part) -> tuple[dict[int, dict[str, StrayCount]], Refusal | None]:
        counts = {name: StrayCount() for name in self.columns}
        read = partial(count_stray_text, part.sources, self.data, counts)
        refusal = catch_refusal(part, read)
        return {part.index: counts}, refusal


@dataclass(frozen=True)
class CollectTypes:
    """Collects what the values of columns say about the columns' types."""

    data: DataConfig
    columns: tuple[str, ...]

    @property
    def kind(self) -> TypeAdapter[tuple[TypeEvidence, Refusal | None]]:
        return TypeAdapter(tuple[TypeEvidence, Refusal | None])

    def examine(self, part: Part) -> tuple[TypeEvidence, Refusal | None]:
        evidence = TypeEvidence.of_columns(self.columns)
        read = partial(collect_evidence, part.sources, self.data, evidence)
        refusal = catch_refusal(part, read)
        return evidence, refusal

    def merge(self, one: TypeEvidence, other: TypeEvidence) -> TypeEvidence:
        return one.merge(other)


@dataclass(frozen=True)
class SurveyTimes:
    """Counts the times of a column; merged by the workers, since a part may have many times."""

    table: TypedTable
    question: TimeQuestion

    @property
    def kind(self) -> TypeAdapter[tuple[TimeSurvey, Refusal | None]]:
        return TypeAdapter(tuple[TimeSurvey, Refusal | None])

    def examine(self, part: Part) -> tuple[TimeSurvey, Refusal | None]:
        table = replace(self.table, sources=part.sources)
        surveyor = Surveyor(table, self.question, part.index, _MOST_CELLS)
        refusal = catch_refusal(part, surveyor.read)
        return surveyor.report(), refusal

    def merge(self, one: TimeSurvey, other: TimeSurvey) -> TimeSurvey:
        return one.merge(other, most=_MOST_CELLS)


@dataclass
class WrittenPart:
    """What an attempt at a part has written: whoever reads this reads no other attempt's shards."""

    labels: LabelTally
    shards: Shards = field(default_factory=dict)
    digests: list[FileDigest] = field(default_factory=list)
    """The digests of the whole files of the part, if they were asked for."""


@dataclass(frozen=True)
class WriteShards(_ByPart[WrittenPart]):
    """Writes the unfinished shards of a part."""

    table: TypedTable
    splitter: Splitter
    config: IngestConfig
    directories: Mapping[str, Path]
    is_only_part: bool
    hashes_bytes: bool

    @property
    def kind(self) -> TypeAdapter[tuple[dict[int, WrittenPart], Refusal | None]]:
        return TypeAdapter(tuple[dict[int, WrittenPart], Refusal | None])

    def examine(self, part: Part) -> tuple[dict[int, WrittenPart], Refusal | None]:
        labels = LabelCheck(self.config.label, self.config.data)
        written = WrittenPart(labels.tally)
        refusal = catch_refusal(part, lambda: self._write(part, labels, written))
        return {part.index: written}, refusal

    def _write(self, part: Part, labels: LabelCheck, written: WrittenPart) -> Any:
        written.shards = write_parts(
            self.table,
            [part],
            self.splitter,
            labels,
            self.directories,
            # An engine may try a part twice, even at the same time.
            attempt=f"{part.index:05d}-{secrets.token_hex(8)}-",
            is_whole=self.is_only_part,
        )
        if self.hashes_bytes:
            # After the rows were read: a change while they were read gives another digest.
            written.digests = digest_files(part.whole_files)
