"""Reads what a run left in its directory of logs, also if the run was killed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pipeline.config import Config
from pipeline.core.contracts import RunFile
from pipeline.core.events import Envelope, Event, EventReader, PipelineStarted
from pipeline.runners.reporting.reading.record import RunRecord, read_configuration, read_record
from pipeline.runners.workspace.past_summary import read_summary
from pipeline.runners.workspace.places import parse_run_name
from pipeline.terminal.summary import Summary

_E = TypeVar("_E", bound=Event)


@dataclass(frozen=True)
class RunFiles:
    """One run."""

    directory: Path
    summary: Summary
    envelopes: tuple[Envelope, ...]
    """The events of all processes of the run, in the order in which they were sent."""
    record: RunRecord | None
    """None if an earlier version ran."""
    configuration: str
    """YAML; empty if an earlier version ran."""
    config: Config | None
    """None if an earlier version ran, or if this version refuses the configuration."""
    damage: str = ""
    """What is wrong with the summary, in a sentence without its full stop; empty if nothing is."""

    def events(self, kind: type[_E]) -> list[_E]:
        """Returns the events of a kind, without those of a search's trials."""
        return [e.event for e in self._outside_of_trials() if isinstance(e.event, kind)]

    def times(self, kind: type[Event]) -> list[float | None]:
        """Returns when each of these events was sent, in seconds after the first event."""
        start = self.envelopes[0].time if self.envelopes else None
        sent = (e.time for e in self._outside_of_trials() if isinstance(e.event, kind))
        return [None if time is None or start is None else time - start for time in sent]

    @property
    def started(self) -> PipelineStarted | None:
        """The announcement of the components; None if the run failed before."""
        return next(iter(self.events(PipelineStarted)), None)

    @property
    def began(self) -> str:
        """When the run began: ISO 8601 with an offset; its name if a person renamed the run."""
        time = parse_run_name(self.directory.name)
        by_name = time.astimezone().isoformat(timespec="milliseconds") if time else None
        return self.summary.started or by_name or self.directory.name

    def _outside_of_trials(self) -> Iterator[Envelope]:
        return (envelope for envelope in self.envelopes if envelope.trial is None)


def read_run_files(directory: Path, *, is_at_work: bool = False) -> RunFiles:
    """Returns what the run left; files that are missing or damaged count as not written.

    Args:
      is_at_work: whether the run still goes on. Without it, a run without an outcome has died.
    """
    past = read_summary(directory, is_at_work=is_at_work)
    text, config = read_configuration(directory)
    # A run that was killed has no summary to name the pipeline.
    past.summary.name = past.summary.name or (config.name if config else directory.parents[1].name)
    return RunFiles(
        directory=directory,
        summary=past.summary,
        envelopes=tuple(EventReader(directory / RunFile.EVENTS).read()),
        record=read_record(directory),
        configuration=text,
        config=config,
        damage=past.damage,
    )
