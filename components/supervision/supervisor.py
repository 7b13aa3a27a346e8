"""Trains on many workers to the end, although single workers may be lost.

TensorFlow cannot replace one worker of a running cluster: a worker that was restarted alone would
wait for peers that still wait for its predecessor. When one worker is lost, the supervisor
therefore ends and restarts all of them, and training continues from the last backup. A failure
that every attempt would repeat ends the run: an exception in the model's code, wrong data or a
wrong configuration.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from components.supervision.failure_report import FailureReport
from components.supervision.platform_interface import (
    Attempt,
    Launcher,
    WorkerStatus,
    compute_stall_limit,
)
from pipeline.config.sections.training import RecoveryConfig
from pipeline.core.errors import PipelineError
from pipeline.core.events import WorkersRestarted, emit
from pipeline.core.text import shorten

_POLL_SECONDS = 0.25
"""The pause between two looks at the workers. It bounds how late the supervisor notices an end."""
_READ_SECONDS = 1.0
"""A look at the workers that takes longer waits for an API server that is away. The rest of it does
not count as time without progress."""
_SETTLE_SECONDS = 5.0
"""How long the supervisor waits for the other workers after the first failure.

A peer often notices a lost connection before the worker with the cause has ended. A worker that
takes longer is named in the message as the one that gives no answer.
"""
_LONGEST_BACKOFF_SECONDS = 60.0
"""The longest pause before a restart: doubling stops here, so that a restart is never far away."""
_LONGEST_ECHO = 200
"""The most characters of a connection error in a message: TensorFlow's own text fills a page."""
_DEFAULTS = RecoveryConfig()


@dataclass(frozen=True)
class Policy:
    """When the supervisor restarts the workers, and when it gives up."""

    max_restarts: int = _DEFAULTS.max_restarts
    """How many restarts in a row may bring no new step; the next failure ends the run."""
    stall_seconds: float = _DEFAULTS.stall_seconds
    """How long training workers may make no step before the attempt counts as hung."""


@dataclass(frozen=True)
class _FailedAttempt:
    """Why an attempt failed, and its last training step."""

    cause: FailureReport
    steps: int


def supervise(
    launcher: Launcher, policy: Policy, pause: Callable[[float], None] = time.sleep
) -> None:
    """Runs attempts until one trains to the end; restarts all workers after a lost worker.

    A restart that brings training further than ever before resets the count of restarts. `pause`
    sleeps before a restart, twice as long each time.

    Raises:
      PipelineError: a restart would not help, or `policy.max_restarts` restarts did not help.
    """
    restarts, furthest = 0, -1
    while (failed := _run_attempt(launcher, policy)) is not None:
        if not failed.cause.lost_peer:
            raise failed.cause.to_error()
        restarts = 0 if failed.steps > furthest else restarts
        furthest = max(furthest, failed.steps)
        if restarts >= policy.max_restarts:
            raise PipelineError(
                f"training gave up after {restarts} restarts without a new step: "
                f"{failed.cause.message}",
                "read each worker's lines in the log; training.recovery.max_restarts allows more "
                "restarts",
            )
        seconds = min(2.0**restarts, _LONGEST_BACKOFF_SECONDS)
        restarts += 1
        logging.warning(
            "%s; restart %d of all workers in %.0f s", failed.cause.message, restarts, seconds
        )
        emit(WorkersRestarted(cause=failed.cause.message, seconds=seconds))
        pause(seconds)


def _run_attempt(launcher: Launcher, policy: Policy) -> _FailedAttempt | None:
    """Runs one attempt of all workers; returns None if it trained to the end."""
    attempt = launcher.start()
    try:
        return _watch(attempt, policy)
    finally:
        attempt.stop()


def _watch(attempt: Attempt, policy: Policy) -> _FailedAttempt | None:
    """Waits until the attempt succeeds, fails or stalls; returns None if it succeeded."""
    last_ticks: list[int] = []
    changed = time.monotonic()
    while True:
        began = time.monotonic()
        workers = attempt.read_statuses()
        # While the platform gives no answer, nobody sees whether the workers make progress.
        changed += max(time.monotonic() - began - _READ_SECONDS, 0)
        if any(worker.exit_code for worker in workers):
            workers = _wait_for_peers(attempt)
            return _FailedAttempt(_find_cause(workers), _find_last_step(workers))
        if all(worker.exit_code == 0 for worker in workers if not worker.is_server):
            return None
        now, ticks = time.monotonic(), [worker.ticks for worker in workers]
        if ticks != last_ticks or any(worker.is_pending for worker in workers):
            last_ticks, changed = ticks, now
        elif now - changed > (limit := compute_stall_limit(workers, policy.stall_seconds)):
            message = f"no worker made progress in {limit:g} s: {_describe_progress(workers)}"
            report = FailureReport(message, lost_peer=True)
            return _FailedAttempt(report, _find_last_step(workers))
        time.sleep(_POLL_SECONDS)


def _wait_for_peers(attempt: Attempt) -> Sequence[WorkerStatus]:
    """Waits after the first failure until the other workers have ended, too, or time is over."""
    deadline = time.monotonic() + _SETTLE_SECONDS
    while True:
        workers = attempt.read_statuses()
        ended = all(worker.exit_code is not None for worker in workers if not worker.is_server)
        # A failed server writes no report, and no peer ends because of it: the chief waits for a
        # replacement. Waiting for the peers would tell nothing more.
        ended |= any(worker.exit_code for worker in workers if worker.is_server)
        if ended or time.monotonic() > deadline:
            return workers
        time.sleep(_POLL_SECONDS)


def _find_cause(workers: Sequence[WorkerStatus]) -> FailureReport:
    """Returns the failure that made the other workers fail.

    In this order: an error that is not about a lost peer, a worker that ended without a report, a
    worker that still runs but did not answer its peers.
    """
    failed = [worker for worker in workers if worker.exit_code]
    reports = [worker.report for worker in failed if worker.report is not None]
    causes = [report for report in reports if not report.lost_peer]
    if causes:
        return min(causes, key=lambda report: report.echo)
    for worker in failed:
        if worker.report is None:
            return FailureReport(f"{worker.name} {worker.end_description}", lost_peer=True)
    silent = [w.name for w in workers if w.exit_code is None and not w.is_server]
    if not silent:
        return reports[0]
    message = shorten(reports[0].message, _LONGEST_ECHO)
    return replace(reports[0], message=f"{message} (no answer from {', '.join(silent)})")


def _describe_progress(workers: Sequence[WorkerStatus]) -> str:
    """Returns each worker's step. Workers wait for each other, so the last one stalls the rest."""
    training = (worker for worker in workers if not worker.is_server)
    return ", ".join(f"{worker.name} at step {max(worker.steps, 0)}" for worker in training)


def _find_last_step(workers: Sequence[WorkerStatus]) -> int:
    return max(worker.steps for worker in workers)
