"""Runs a trial in a process of its own, so that a crash ends no other trial."""

from __future__ import annotations

import dataclasses
import json
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from components.supervision.failure_report import FailureReport
from components.supervision.platform_interface import WorkerStatus, compute_stall_limit
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
    """The trial's measures by name; empty if the run failed."""
    error: FailureReport | None = None
    """Why the run failed."""
    lost: bool = False
    """Whether the process was killed or hung without a report: another run may succeed."""


class TrialProcess:
    """One run of a trial: starts the process at once.

    `parallel` is the number of trials that share the machine. A process that makes no progress for
    `stall_seconds` counts as lost (see `compute_stall_limit`). The process inherits the descriptor
    `lock`: if the Tuner is killed, no other Tuner uses the trial's directory before the process has
    ended too.
    """

    def __init__(
        self,
        name: str,
        job: trial.TrialJob,
        parallel: int,
        stall_seconds: float,
        lock: int | None = None,
    ) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="trial-")
        self._result = Path(self._scratch.name, "result.json")
        self._stall_seconds = stall_seconds
        self._ticks, self._changed = -1, time.monotonic()
        line = dataclasses.replace(job, result=str(self._result)).to_line()
        self._worker = WorkerProcess(
            f"trial {name}",
            Path(self._scratch.name),
            _make_environment(name, parallel),
            line,
            _COMMAND,
            inherited=() if lock is None else (lock,),
        )

    def poll(self) -> Outcome | None:
        """Returns how the run ended or that it hangs; None while it makes progress."""
        status = self._worker.read_status()
        if status.exit_code is not None:
            return self._read_outcome(status)
        now = time.monotonic()
        if status.ticks != self._ticks:
            self._ticks, self._changed = status.ticks, now
        elif now - self._changed > (limit := compute_stall_limit([status], self._stall_seconds)):
            message = f"made no progress in {limit:g} s"
            return Outcome(error=FailureReport(message), lost=True)
        return None

    def _read_outcome(self, status: WorkerStatus) -> Outcome:
        if status.exit_code == 0:
            return Outcome(json.loads(self._result.read_text(encoding="utf-8")))
        if status.report is not None:
            return Outcome(error=status.report)
        message = f"its process {status.end_description}"
        return Outcome(error=FailureReport(message), lost=True)

    def terminate(self) -> None:
        """Asks the process to end, without waiting for its end."""
        self._worker.terminate()

    def stop(self) -> None:
        """Ends the process and removes its temporary files."""
        self.terminate()
        self._worker.end()
        self._scratch.cleanup()


def _make_environment(name: str, parallel: int) -> dict[str, str]:
    """Returns variables for one worker without a cluster, with its share of the processors.

    Every event of the process carries the trial's name.
    """
    return {
        "TF_CONFIG": "{}",
        "TF_NUM_INTRAOP_THREADS": str(max(1, available_cores() // parallel)),
        EVENT_FIELDS_VARIABLE: Sender(component="Tuner", trial=name).to_line(),
    }
