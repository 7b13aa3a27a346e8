"""The main module of a worker process; `run_supervised` also runs other supervised jobs.

A worker calls `run_fn` as TFX's Trainer would, or runs a TensorFlow server for the chief. The job
comes as one line of JSON on standard input. The pipe stays open: when it closes, the supervisor has
ended, and the worker ends too. This module never imports TFX, and imports TensorFlow late: every
restart pays for the import.
"""

from __future__ import annotations

import json
import logging
import os
import pkgutil
import signal
import sys
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import NoReturn

from components.supervision.cluster import Cluster
from components.supervision.failure_report import FailureReport
from pipeline.config import TrainingConfig
from pipeline.core.contracts import CustomConfigKey
from pipeline.core.environment import REPORT_VARIABLE
from pipeline.core.error_causes import DISK_FULL
from pipeline.core.imports import quick_imports
from pipeline.core.processes import when_parent_is_gone

TERMINATED = 143
"""The exit code after SIGTERM, as a shell gives it: 128 plus the number of the signal."""


def run_supervised(work: Callable[[str], None]) -> NoReturn:
    """Calls `work` with the line on standard input, and ends the process.

    If `work` raises, the process writes a `FailureReport` to the file that REPORT_VARIABLE names.
    """
    code = _run_and_report(work)
    logging.shutdown()
    sys.stdout.flush()
    # TensorFlow's threads of a broken cluster would keep the process waiting for peers.
    os._exit(code)


def _run_and_report(work: Callable[[str], None]) -> int:
    """Returns the exit code of the process."""
    # A thread waits for SIGTERM: a handler would not run while the main thread waits for a peer in
    # native code.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    threading.Thread(target=_exit_on_sigterm, daemon=True).start()
    job = sys.stdin.readline()
    when_parent_is_gone(lambda: os._exit(TERMINATED))
    try:
        work(job)
    except KeyboardInterrupt:
        raise  # SIGINT raised it, not the model's code.
    except BaseException as error:
        logging.exception("The worker failed")
        return _write_report(FailureReport.from_exception(error))
    return 0


def run_job(line: str) -> None:
    """Runs the job that `TrainingJob.to_line` wrote, as the task that TF_CONFIG names."""
    function, arguments = json.loads(line)
    cluster, task = Cluster.from_tf_config(os.environ["TF_CONFIG"])
    if cluster.is_server(task):
        with quick_imports():
            from components.supervision.tensorflow_server import run_server

        training = json.loads(arguments["custom_config"][CustomConfigKey.TRAINING])
        run_server(TrainingConfig.model_validate(training), task)
    else:
        with quick_imports():
            run_fn = pkgutil.resolve_name(function)
        run_fn(SimpleNamespace(**arguments))


def _write_report(report: FailureReport) -> int:
    """Writes the report and returns the exit code of the process.

    The exit code is 1, or the error number if the disk is too full for the report.
    """
    path = os.environ.get(REPORT_VARIABLE)
    try:
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(report.to_json())
    except OSError as error:
        return error.errno if error.errno in DISK_FULL else 1
    return 1


def _exit_on_sigterm() -> None:
    signal.sigwait({signal.SIGTERM})
    os._exit(TERMINATED)


if __name__ == "__main__":
    run_supervised(run_job)
