"""What the command `predict` does: it starts the process that predicts, and passes its words on.

This process imports no TensorFlow, so that a wrong option is refused at once.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import IO, Any

from pipeline.core.errors import PipelineError
from pipeline.core.processes import INTERRUPTED, end_group
from serving.batch.outcome import Outcome
from serving.batch.task import Task

_WORKER = (sys.executable, "-m", "serving.batch.worker")
_GRACE_SECONDS = 5.0
"""Seconds for the process to end after SIGTERM. It has nothing to save: parts are atomic."""
_SHOWN_LINES = 15
"""Lines of the log that are shown after an unexpected failure."""


class FailedPredictionError(PipelineError):
    """A failure in the process that predicts, raised again with the same exit code."""

    def __init__(self, message: str, hint: str, exit_code: int) -> None:
        super().__init__(message, hint)
        self.exit_code = exit_code  # type: ignore[misc]


def predict(task: Task, show: Callable[[int, int], None]) -> Outcome:
    """Predicts in a process of its own, and returns the outcome.

    Args:
      show: gets the rows with and without a prediction so far, several times a second.

    Raises:
      FailedPredictionError: the prediction failed; the exit code tells why.
      KeyboardInterrupt: after the end of the process.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            _WORKER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            # Ctrl-C must reach this process only, which then ends the other one.
            start_new_session=True,
        )
        try:
            last = _follow(process, task, show)
        finally:
            end_group(process, _GRACE_SECONDS)
            _close_pipes(process)
        if "outcome" in last:
            return Outcome(**last["outcome"])
        raise _make_error(last.get("error"), process.returncode, log)


def _follow(
    process: subprocess.Popen[bytes], task: Task, show: Callable[[int, int], None]
) -> dict[str, Any]:
    """Gives the task to the process, and returns its last message."""
    assert process.stdin is not None
    assert process.stdout is not None
    message: dict[str, Any] = {}
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(task.to_json().encode() + b"\n")
        process.stdin.flush()
    for line in process.stdout:
        message = json.loads(line)
        if "rows" in message:
            show(message["rows"], message["bad"])
    process.wait()
    return message


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        # A process that ended early may not have read its task.
        with contextlib.suppress(BrokenPipeError):
            assert pipe is not None
            pipe.close()


def _make_error(
    told: dict[str, Any] | None, code: int | None, log: IO[bytes]
) -> FailedPredictionError:
    if told is not None:
        error = FailedPredictionError(told["message"], told["hint"], told["exit_code"])
        if error.exit_code == 1 and not told["is_known"]:
            error.hint = _read_end(log)
        return error
    again = "the same command continues after the last complete part"
    if code is not None and code < 0:
        return FailedPredictionError(
            f"the process that predicts was ended by signal {-code}, perhaps for lack of memory",
            again,
            INTERRUPTED if code == -2 else 1,
        )
    return FailedPredictionError(f"the process ended with code {code}", _read_end(log), 1)


def _read_end(log: IO[bytes]) -> str:
    log.seek(0)
    lines = log.read().decode("utf-8", "replace").splitlines()
    return " | ".join(line.strip() for line in lines[-_SHOWN_LINES:] if line.strip())
