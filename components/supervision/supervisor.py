"""Brings a training on many workers to its end, whatever happens to single workers.

A cluster of TensorFlow is whole or it is nothing: a worker that was restarted alone would wait for
peers that wait for the one it replaces. So when one is lost, all are ended and all are started
again, and they go on from the last backup. What would only fail again is not tried again: an
exception in the model's code, wrong data, a wrong configuration.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from components.supervision.failure_report import Report
from components.supervision.launcher import Attempt, Launcher, WorkerStatus, patience
from pipeline.core.errors import PipelineError
from pipeline.core.events import WorkersRestarted, emit
from pipeline.core.text import shorten

_LOOK_SECONDS = 0.25
_SETTLE_SECONDS = 5.0
"""How long after the first end the others' ends are waited for: one of them may be the cause."""
_LONGEST_BACKOFF_SECONDS = 60.0
_LONGEST_ECHO = 200
"""Characters: what TensorFlow says of a lost connection fills a page."""


@dataclass(frozen=True)
class Policy:
    """When to give up."""

    max_restarts: int = 3
    """Restarts in a row that brought training no step further."""
    stall_seconds: float = 600.0
    """How long workers that make steps may make none before the attempt counts as hung."""


@dataclass(frozen=True)
class _Loss:
    """Why an attempt ended early, and how far it came."""

    cause: Report
    steps: int


def supervise(
    launcher: Launcher, policy: Policy, pause: Callable[[float], None] = time.sleep
) -> None:
    """Trains to the end, with new attempts where workers are lost.

    Raises:
      PipelineError: the cause, if it is one that stays, or after the last restart.
    """
    restarts, furthest = 0, -1
    while (loss := _one_attempt(launcher, policy)) is not None:
        if not loss.cause.lost_peer:
            raise loss.cause.to_error()
        restarts = 0 if loss.steps > furthest else restarts
        furthest = max(furthest, loss.steps)
        if restarts >= policy.max_restarts:
            raise PipelineError(
                f"training was given up after {restarts} restarts without a step gained: "
                f"{loss.cause.message}",
                "the log holds each worker's lines; training.recovery.max_restarts allows more",
            )
        seconds = min(2.0**restarts, _LONGEST_BACKOFF_SECONDS)
        restarts += 1
        logging.warning(
            "%s; restart %d of all workers in %.0f s", loss.cause.message, restarts, seconds
        )
        emit(WorkersRestarted(cause=loss.cause.message, seconds=seconds))
        pause(seconds)


def _one_attempt(launcher: Launcher, policy: Policy) -> _Loss | None:
    """One attempt of all workers; None if it brought training to its end."""
    attempt = launcher.start()
    try:
        return _watch(attempt, policy)
    finally:
        attempt.stop()


def _watch(attempt: Attempt, policy: Policy) -> _Loss | None:
    seen: list[int] = []
    changed = time.monotonic()
    while True:
        workers = attempt.look()
        if any(worker.exit_code for worker in workers):
            workers = _settled(attempt)
            return _Loss(_first_cause(workers), _steps(workers))
        if all(worker.exit_code == 0 for worker in workers if not worker.serves):
            return None
        now, ticks = time.monotonic(), [worker.ticks for worker in workers]
        if ticks != seen or any(worker.waits for worker in workers):
            seen, changed = ticks, now
        elif now - changed > (seconds := patience(workers, policy.stall_seconds)):
            message = f"no worker got any further in {seconds:g} s: {_where(workers)}"
            return _Loss(Report(message, lost_peer=True), _steps(workers))
        time.sleep(_LOOK_SECONDS)


def _settled(attempt: Attempt) -> Sequence[WorkerStatus]:
    """The workers after the first has failed, when the others have ended or had their time."""
    deadline = time.monotonic() + _SETTLE_SECONDS
    while True:
        workers = attempt.look()
        # A server says nothing, and nobody ends because of it: the chief waits for another.
        ended = all(worker.exit_code is not None for worker in workers if not worker.serves)
        ended |= any(worker.exit_code for worker in workers if worker.serves)
        if ended or time.monotonic() > deadline:
            return workers
        time.sleep(_LOOK_SECONDS)


def _first_cause(workers: Sequence[WorkerStatus]) -> Report:
    """What is not the echo of another's end: an own error, a death without a word, or silence."""
    failed = [worker for worker in workers if worker.exit_code]
    reports = [worker.report for worker in failed if worker.report is not None]
    own = [report for report in reports if not report.lost_peer]
    if own:
        return min(own, key=lambda report: report.echo)
    for worker in failed:
        if worker.report is None:
            return Report(f"{worker.name} {worker.how_it_ended}", lost_peer=True)
    silent = [worker.name for worker in workers if worker.exit_code is None and not worker.serves]
    if not silent:
        return reports[0]
    message = shorten(reports[0].message, _LONGEST_ECHO)
    return replace(reports[0], message=f"{message} (no answer from {', '.join(silent)})")


def _where(workers: Sequence[WorkerStatus]) -> str:
    """Who stands where; of those that wait for one another, the last holds up the others."""
    training = (worker for worker in workers if not worker.serves)
    return ", ".join(f"{worker.name} at step {max(worker.steps, 0)}" for worker in training)


def _steps(workers: Sequence[WorkerStatus]) -> int:
    return max(worker.steps for worker in workers)
