"""Runs a pass as a job of Apache Beam."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import apache_beam as beam

from components.columnar_example_gen.on_workers.refusals import Refusal, choose_first
from components.columnar_example_gen.on_workers.work import Work
from components.columnar_example_gen.parts import Part
from pipeline.core.errors import ConfigError
from pipeline.core.files import write_bytes_atomically

Found = TypeVar("Found")
Finding = tuple[Found, Refusal | None]


def run_job(
    make_pipeline: Callable[[], beam.Pipeline],
    parts: Sequence[Part],
    work: Work[Found],
    exchange: Path,
) -> Finding[Found]:
    """Returns what all parts hold, and the refusal of the first part that was refused.

    Args:
      exchange: a directory that the workers share with this process. Engines return nothing to the
        process that started a job, so a worker writes the answer there.

    Raises:
      ConfigError: the workers have another directory of this name.
    """
    answer = exchange / f"answer-{secrets.token_hex(8)}.json"
    with make_pipeline() as pipeline:
        _ = pipeline | ExamineParts(parts, work, answer)
    try:
        content = answer.read_bytes()
    except FileNotFoundError:
        raise ConfigError(
            f"Beam's workers do not share the directory {exchange} with this process",
            "the output directory must lie on a file system that all workers have at the same path",
        ) from None
    answer.unlink()
    return work.kind.validate_json(content)


class ExamineParts(beam.PTransform):
    """Examines each part once, merges the findings, and writes what remains as JSON."""

    def __init__(self, parts: Sequence[Part], work: Work[Found], answer: Path) -> None:
        super().__init__()
        self._parts = parts
        self._work = work
        self._answer = answer

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection:
        return (
            begin
            | "Parts" >> beam.Create(self._parts)
            # Otherwise one worker would have all parts.
            | "Spread" >> beam.Reshuffle()
            | "Examine" >> beam.Map(self._work.examine)
            | "Merge" >> beam.CombineGlobally(_Merge(self._work)).without_defaults()
            | "Answer" >> beam.Map(_write_answer, work=self._work, path=self._answer)
        )


def _write_answer(finding: Finding[Found], work: Work[Found], path: Path) -> None:
    """Writes the answer; a repetition replaces it by its own, which is as good."""
    write_bytes_atomically(path, work.kind.dump_json(finding), durable=False)


class _Merge(beam.CombineFn):
    """Merges findings; the accumulator is a finding, or None before the first."""

    def __init__(self, work: Work[Any]) -> None:
        self._work = work

    def create_accumulator(self) -> Finding[Any] | None:
        return None

    def add_input(self, merged: Finding[Any] | None, finding: Finding[Any]) -> Finding[Any]:
        if merged is None:
            return finding
        found = self._work.merge(merged[0], finding[0])
        return found, choose_first(merged[1], finding[1])

    def merge_accumulators(
        self, accumulators: Iterable[Finding[Any] | None]
    ) -> Finding[Any] | None:
        merged: Finding[Any] | None = None
        for finding in accumulators:
            merged = merged if finding is None else self.add_input(merged, finding)
        return merged

    def extract_output(self, merged: Finding[Any] | None) -> Finding[Any] | None:
        return merged
