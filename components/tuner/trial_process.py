"""A trial in a process of its own: what it does to itself, it does to no other trial."""

from __future__ import annotations

import dataclasses
import json
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from components.supervision.failure_report import Report
from components.supervision.launcher import WorkerStatus, patience
from components.supervision.processes import WorkerProcess
from components.tuner import trial
from pipeline.core.environment import EVENT_FIELDS_VARIABLE
from pipeline.core.events import Sender
from pipeline.core.processes import available_cores

_COMMAND = (sys.executable, "-m", trial.__name__)


@dataclass(frozen=True)
class Outcome:
    """How a run of a trial ended."""

    measures: Mapping[str, float] = field(default_factory=dict)
    """Empty if it did not end well."""
    error: Report | None = None
    lost: bool = False
    """Whether the process ended without a word: another run may end well."""


class TrialProcess:
    """One run of a trial."""

    def __init__(self, name: str, job: trial.TrialJob, parallel: int, stall_seconds: float) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="trial-")
        self._result = Path(self._scratch.name, "result.json")
        self._stall_seconds = stall_seconds
        self._ticks, self._changed = -1, time.monotonic()
        line = dataclasses.replace(job, result=str(self._result)).to_line()
        self._worker = WorkerProcess(
            f"trial {name}", Path(self._scratch.name), _variables(name, parallel), line, _COMMAND
        )

    def look(self) -> Outcome | None:
        status = self._worker.look()
        if status.exit_code is not None:
            return self._outcome(status)
        now = time.monotonic()
        if status.ticks != self._ticks:
            self._ticks, self._changed = status.ticks, now
        elif now - self._changed > (seconds := patience([status], self._stall_seconds)):
            message = f"got no further in {seconds:g} s"
            return Outcome(error=Report(message), lost=True)
        return None

    def _outcome(self, status: WorkerStatus) -> Outcome:
        if status.exit_code == 0:
            return Outcome(json.loads(self._result.read_text(encoding="utf-8")))
        if status.report is not None:
            return Outcome(error=status.report)
        return Outcome(error=Report(f"its process {status.how_it_ended}"), lost=True)

    def terminate(self) -> None:
        self._worker.terminate()

    def stop(self) -> None:
        self.terminate()
        self._worker.end()
        self._scratch.cleanup()


def _variables(name: str, parallel: int) -> dict[str, str]:
    """That of a single worker, with its share of the processors, whose events bear its name."""
    return {
        "TF_CONFIG": "{}",
        "TF_NUM_INTRAOP_THREADS": str(max(1, available_cores() // parallel)),
        EVENT_FIELDS_VARIABLE: Sender(component="Tuner", trial=name).to_line(),
    }
