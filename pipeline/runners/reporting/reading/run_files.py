"""Reads what a run left in its directory of logs, also if the run was killed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pipeline.config import Config
from pipeline.core.contracts import RunFile
from pipeline.core.events import Envelope, Event, EventReader, PipelineStarted
from pipeline.core.events.payloads import failure_from_json
from pipeline.runners.reporting.reading.record import RunRecord, read_configuration, read_record
from pipeline.terminal.summary import Summary

DIED = "died"
"""The status of a run whose command was killed."""
_OUTCOME = ("name", "exit_code", "status", "run_id", "started", "ended", "seconds")
"""The keys of summary.json that no event of the DAG process holds, or not after every ending."""

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

    def _outside_of_trials(self) -> Iterator[Envelope]:
        return (envelope for envelope in self.envelopes if envelope.trial is None)


def read_run_files(directory: Path, *, is_at_work: bool = False) -> RunFiles:
    """Returns what the run left; files that are missing or damaged count as not written.

    Args:
      is_at_work: whether the run still goes on. Without it, a run without an outcome has died.
    """
    envelopes = tuple(EventReader(directory / RunFile.EVENTS).read())
    text, config = read_configuration(directory)
    summary = Summary(
        name=config.name if config else directory.parents[1].name,
        run=directory.name,
        log=str(directory / RunFile.LOG),
    )
    for envelope in envelopes:
        summary.add(envelope.event)
    outcome = _read_outcome(directory / RunFile.SUMMARY)
    _complete(summary, outcome)
    if not outcome and not is_at_work:
        summary.status, summary.exit_code = DIED, None
    return RunFiles(directory, summary, envelopes, read_record(directory), text, config)


def _read_outcome(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) and "status" in content else {}


def _complete(summary: Summary, outcome: dict[str, Any]) -> None:
    """Takes over what the command added to the events of the DAG process."""
    for key in _OUTCOME:
        if outcome.get(key) is not None:
            setattr(summary, key, outcome[key])
    if outcome.get("error"):
        summary.error = failure_from_json(outcome["error"])
