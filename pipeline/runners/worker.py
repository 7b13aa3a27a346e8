"""The working process of a local run: TensorFlow and TFX live here, and their chatter in its log.

Started by pipeline.runners.local with the job as a line of JSON on standard input. The pipe stays
open: when it closes, the parent is gone and this process ends too.
"""

from __future__ import annotations

import io
import logging
import os
import signal
import sys
import threading
from typing import Any

from pipeline.config import Config, NotBlessedError, PipelineError
from pipeline.config.printable import printable_lines
from pipeline.runners.events import emit
from pipeline.runners.job import Job

INTERRUPTED = 130
_DISK_IS_FULL = ("No space left on device", "disk is full")


class _PrintableLog(io.TextIOWrapper):
    """The log: TensorFlow writes names of columns as they are, and people print logs on screens."""

    def write(self, text: str) -> int:
        return super().write(printable_lines(text))


def main() -> int:
    """Runs the job; returns the exit code, which the `end` event carries too."""
    sys.stdout = sys.stderr = _PrintableLog(
        sys.stderr.buffer, encoding="utf-8", errors="backslashreplace", write_through=True
    )
    job = Job.from_line(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGTERM, _interrupt)
    # Beam's executors parse sys.argv with absl.
    sys.argv = sys.argv[:1]
    config = Config.model_validate_json(job.config)
    try:
        end = _run(config, job)
    except KeyboardInterrupt:
        end = {"exit_code": INTERRUPTED, "error": {"message": "interrupted"}}
    except Exception as error:
        logging.exception("The run failed")
        end = _failure(error)
    emit("end", **end)
    return int(end["exit_code"])


def _run(config: Config, job: Job) -> dict[str, Any]:
    # Only now, so that the parent already shows something while TensorFlow is loaded.
    from pipeline.runners import local_dag

    outcome = local_dag.run_dag(config, job)
    not_blessed = NotBlessedError.exit_code if outcome.get("blessed") is False else 0
    return {"exit_code": not_blessed, **outcome}


def _failure(error: Exception) -> dict[str, Any]:
    cause: BaseException = error
    component = getattr(error, "component", None)
    while cause.__cause__ is not None and not isinstance(cause, PipelineError):
        cause = cause.__cause__
    code = cause.exit_code if isinstance(cause, PipelineError) else 1
    message = str(cause).strip() or type(cause).__name__
    if any(words in message for words in _DISK_IS_FULL):
        message = "no space left on the device; free some, and run the same command again"
    elif not isinstance(cause, PipelineError):
        message = f"{type(cause).__name__}: {message.splitlines()[0]}"
    return {
        "exit_code": code,
        "error": {
            "component": component,
            "message": message,
            "hint": getattr(cause, "hint", ""),
        },
    }


def _interrupt(*unused: Any) -> None:
    raise KeyboardInterrupt


def _end_with_parent() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    code = main()
    logging.shutdown()
    sys.stdout.flush()
    # TensorFlow's and gRPC's threads may abort in their destructors after all is done.
    os._exit(code)
