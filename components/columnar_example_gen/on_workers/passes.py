"""Goes over a table with Beam's workers, a part at a time, and tells what one machine would tell.

This process holds a few kilobytes for each part, and no row. Each pass reads all parts, also after
one was refused; what the user sees is what `LocalPasses` would have met first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import apache_beam as beam

from components.columnar_example_gen.ingest_config import IngestConfig
from components.columnar_example_gen.label_checks import LabelCheck
from components.columnar_example_gen.on_workers.jobs import run_job
from components.columnar_example_gen.on_workers.refusals import Refusal
from components.columnar_example_gen.on_workers.work import (
    CollectTypes,
    CountStrayText,
    SurveyTimes,
    Work,
    WriteShards,
)
from components.columnar_example_gen.parts import Part, find_divided_files
from components.columnar_example_gen.stray_text import StrayCount
from components.columnar_example_gen.times.boundaries import TimeQuestion, TimeSurvey
from components.columnar_example_gen.writing import Shards
from components.tables.digests import FileDigest, digest_files
from components.tables.splitting.splits import Splitter
from components.tables.typed_table import InferredType, TypedTable
from pipeline.core.contracts import Split

Found = TypeVar("Found")


@dataclass(frozen=True)
class WorkerPasses:
    """Goes over a table with a job of Beam for each pass."""

    make_pipeline: Callable[[], beam.Pipeline]
    config: IngestConfig
    directories: Mapping[str, Path]
    exchange: Path
    """See `run_job`."""
    digests: dict[Path, FileDigest] | None
    """Gets the digest of each file once the shards are written; None if nobody needs it."""
    parts: Sequence[Part]

    def count_stray_text(self, columns: Sequence[str]) -> Mapping[str, StrayCount]:
        counts, refusal = self._run(CountStrayText(self.config.data, tuple(columns)))
        if refusal:
            raise refusal.to_error()
        whole = {name: StrayCount() for name in columns}
        for part in self.parts:
            for name, count in counts[part.index].items():
                whole[name].append(count)
        return whole

    def infer_types(self, columns: Sequence[str]) -> dict[str, InferredType]:
        evidence, refusal = self._run(CollectTypes(self.config.data, tuple(columns)))
        if refusal:
            raise refusal.to_error()
        return evidence.conclude()

    def survey_times(self, table: TypedTable, question: TimeQuestion) -> TimeSurvey:
        survey, refusal = self._run(SurveyTimes(replace(table, sources=()), question))
        misfit = survey.find_misfit()
        # Within a part, the survey ends where it is refused: its misfits are before that.
        if refusal and (misfit is None or refusal.part < misfit.part):
            raise refusal.to_error()
        return survey

    def write(self, table: TypedTable, splitter: Splitter, labels: LabelCheck) -> Shards:
        work = WriteShards(
            replace(table, sources=()),
            splitter,
            self.config,
            self.directories,
            is_only_part=len(self.parts) == 1,
            hashes_bytes=self.digests is not None,
        )
        written, refusal = self._run(work)
        for part in self.parts:
            labels.append(written[part.index].labels)
            if refusal and refusal.part == part.index:
                raise refusal.to_error()
        if self.digests is not None:
            for part in self.parts:
                digests = written[part.index].digests
                self.digests.update(zip(part.whole_files, digests, strict=True))
            # Not by the workers of its parts: others still read the file.
            divided = find_divided_files(self.parts)
            self.digests.update(zip(divided, digest_files(divided), strict=True))
        return {
            split: (
                [name for part in self.parts for name in written[part.index].shards[split][0]],
                sum(written[part.index].shards[split][1] for part in self.parts),
            )
            for split in Split.ALL
        }

    def _run(self, work: Work[Found]) -> tuple[Found, Refusal | None]:
        return run_job(self.make_pipeline, self.parts, work, self.exchange)


@contextmanager
def open_exchange(root: Path) -> Iterator[Path]:
    """Yields a new directory for `run_job` below `root`, and removes the directory at the end."""
    root.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".exchange-", dir=root) as directory:
        yield Path(directory)
