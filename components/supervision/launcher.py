"""What the supervisor asks of a platform: start all workers, look at them, end them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from components.supervision.failure_report import Report

_STEPLESS_SECONDS = 600.0
"""Given to what has no steps that could be seen, and whose time the steps' says nothing of."""


@dataclass(frozen=True)
class WorkerStatus:
    """One worker of an attempt, as it is now."""

    name: str
    """What the logs call it, such as `worker 1`."""
    exit_code: int | None = None
    """None while it is at work; negative, the signal that killed it."""
    report: Report | None = None
    """What it said of its failure; a worker that was killed says nothing."""
    steps: int = -1
    """The steps of the optimizer it has made; -1 before training has begun."""
    ticks: int = 0
    """A number that changes with the steps of training and evaluation; 0 where none are made: while
    the worker starts, traces its functions or exports."""
    serves: bool = False
    """Whether it only does what the chief tells it, and so never ends by itself."""
    waits: bool = False
    """Whether it has no place to work yet, for which the platform has a limit of its own."""
    reason: str = ""
    """What the platform says of its end."""

    @property
    def how_it_ended(self) -> str:
        code = self.exit_code
        assert code is not None
        ended = f"was killed by signal {-code}" if code < 0 else f"ended with {code}"
        return f"{ended} ({self.reason})" if self.reason else ended


def patience(workers: Sequence[WorkerStatus], stall_seconds: float) -> float:
    """The seconds in which these workers may stay as they are before they count as hung."""
    at_work = (worker for worker in workers if worker.exit_code is None and not worker.serves)
    if any(worker.ticks == 0 for worker in at_work):
        return max(stall_seconds, _STEPLESS_SECONDS)
    return stall_seconds


class Attempt(Protocol):
    """The workers of one attempt."""

    def look(self) -> Sequence[WorkerStatus]:
        """How all workers are, in the order of their indices."""

    def stop(self) -> None:
        """Ends all workers, and returns when none is left."""


class Launcher(Protocol):
    """Starts clusters."""

    def start(self) -> Attempt:
        """Starts all workers of a new cluster."""
