"""The interface between the supervisor and a platform: start all workers, look at them, stop them.

Processes of this machine and pods of Kubernetes implement it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from components.supervision.failure_report import FailureReport

_STEPLESS_SECONDS = 600.0
"""The least time for a phase without steps: start-up, tracing and export.

Such a phase shows no progress, and its duration does not depend on the duration of a step. A
shorter limit would restart a healthy worker that exports a large model; a longer limit delays the
restart of a worker that hangs at start-up.
"""


@dataclass(frozen=True)
class WorkerStatus:
    """The state of one worker of an attempt at one moment."""

    name: str
    """The worker's name in logs and messages, such as `worker 1`."""
    exit_code: int | None = None
    """None while the worker runs; a negative number is the signal that killed it."""
    report: FailureReport | None = None
    """The cause that a failed worker reported; None if it was killed, since it reports nothing."""
    steps: int = -1
    """The optimizer steps so far; -1 before training has begun."""
    ticks: int = 0
    """A number that changes with every training or evaluation step; 0 in a phase without steps,
    which are start-up, tracing and export."""
    is_server: bool = False
    """Whether the worker only executes what the chief sends, and therefore never ends."""
    is_pending: bool = False
    """Whether the platform has not started the worker yet. Each platform limits that time."""
    reason: str = ""
    """The platform's reason for the worker's end, such as `OOMKilled`."""

    @property
    def end_description(self) -> str:
        """How the worker ended, as the rest of a sentence: `was killed by signal 9`."""
        code = self.exit_code
        assert code is not None
        ended = f"was killed by signal {-code}" if code < 0 else f"ended with {code}"
        return f"{ended} ({self.reason})" if self.reason else ended


def compute_stall_limit(workers: Sequence[WorkerStatus], stall_seconds: float) -> float:
    """Returns the seconds without progress after which these workers count as hung.

    The limit is `stall_seconds`, but at least ten minutes while a running worker makes no steps.
    """
    running = (worker for worker in workers if worker.exit_code is None and not worker.is_server)
    if any(worker.ticks == 0 for worker in running):
        return max(stall_seconds, _STEPLESS_SECONDS)
    return stall_seconds


class Attempt(Protocol):
    """The workers of one attempt."""

    def read_statuses(self) -> Sequence[WorkerStatus]:
        """Returns the status of every worker, in the order of the cluster's tasks."""

    def stop(self) -> None:
        """Ends all workers; returns when all have ended."""


class Launcher(Protocol):
    """Starts attempts, each on a new cluster."""

    def start(self) -> Attempt:
        """Starts all workers of a new cluster."""
