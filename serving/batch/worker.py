"""The process that predicts. The command starts it with the task as a line on standard input.

Its messages are lines of JSON on standard output: `rows` and `bad` so far, and at last an `outcome`
or an `error`. It ends when the command has ended.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import tempfile
import time
from dataclasses import asdict
from typing import Any

from pipeline.core.error_causes import disk_full_error, is_disk_full
from pipeline.core.errors import PipelineError, as_pipeline_error
from pipeline.core.processes import (
    INTERRUPTED,
    interrupted_when_terminated,
    leave,
    when_parent_is_gone,
)
from pipeline.core.stores.address import is_store_address
from pipeline.core.text import print_to_log
from serving.batch.predict import predict
from serving.batch.task import Task

_REPORT_SECONDS = 0.2


class _Messages:
    """Writes messages to what was standard output when the process began."""

    def __init__(self) -> None:
        self._stream = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
        # Native libraries and other packages print to standard output, too.
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        self._rows = self._bad = 0
        self._due = 0.0

    def send(self, message: dict[str, Any]) -> None:
        self._stream.write(json.dumps(message) + "\n")
        self._stream.flush()

    def count(self, rows: int, bad: int) -> None:
        """Adds rows, and tells the sums some times a second."""
        self._rows += rows
        self._bad += bad
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + _REPORT_SECONDS
            self.send({"rows": self._rows, "bad": self._bad})


def main() -> int:
    """Predicts, sends the last message, and returns the exit code."""
    messages = _Messages()
    print_to_log()
    task = Task.from_json(sys.stdin.readline())
    when_parent_is_gone(lambda: os._exit(1))
    # Beam parses the arguments of the process.
    sys.argv = sys.argv[:1]
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    try:
        with interrupted_when_terminated() if task.beam else contextlib.nullcontext():
            outcome = predict(task, messages.count)
    except KeyboardInterrupt:
        # A job on an engine is cancelled by now.
        return INTERRUPTED
    except Exception as error:
        logging.exception("The prediction failed")
        messages.send({"error": _describe(error, task)})
        return as_pipeline_error(error).exit_code
    messages.send({"outcome": asdict(outcome)})
    return 0


def _describe(error: Exception, task: Task) -> dict[str, Any]:
    if is_disk_full(error):
        # Predictions for a store wait in a temporary file.
        place = tempfile.gettempdir() if is_store_address(task.output) else task.output
        cause: PipelineError = disk_full_error(place)
    else:
        cause = as_pipeline_error(error)
    is_known = is_disk_full(error) or isinstance(error, PipelineError)
    return {
        "message": cause.message,
        "hint": cause.hint,
        "exit_code": cause.exit_code,
        "is_known": is_known,
    }


if __name__ == "__main__":
    leave(main())
