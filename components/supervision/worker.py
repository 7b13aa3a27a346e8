"""A process of a cluster: calls `run_fn` as TFX's own Trainer would, or serves who does.

Its job comes as one line of JSON on standard input. The pipe stays open: when it closes, the
supervisor is gone and this process ends too. Other supervised processes do the same with another
kind of job. Imports no TFX, and TensorFlow late: every restart pays for it.
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
from components.supervision.failure_report import Report
from pipeline.config import TrainingConfig
from pipeline.core.environment import REPORT_VARIABLE
from pipeline.core.error_causes import DISK_FULL
from pipeline.core.imports import quick_imports
from pipeline.core.processes import when_parent_is_gone

TERMINATED = 143


def work_supervised(work: Callable[[str], None]) -> NoReturn:
    """Does the job, and ends the process. What went wrong is left in the report's file."""
    code = _code_of(work)
    logging.shutdown()
    sys.stdout.flush()
    # TensorFlow's threads of a broken cluster would keep the process waiting for peers.
    os._exit(code)


def _code_of(work: Callable[[str], None]) -> int:
    # Left to a thread of its own: the one that waits for a peer in native code runs no handler.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    threading.Thread(target=_end_when_asked, daemon=True).start()
    job = sys.stdin.readline()
    when_parent_is_gone(lambda: os._exit(TERMINATED))
    try:
        work(job)
    except KeyboardInterrupt:
        raise  # Somebody's signal, not the model's code.
    except BaseException as error:
        logging.exception("The worker failed")
        return _leave(Report.of(error))
    return 0


def run_job(line: str) -> None:
    """Does what Job.to_line wrote, as the process of the cluster that TF_CONFIG says this is."""
    function, arguments = json.loads(line)
    cluster, task = Cluster.of_process(os.environ["TF_CONFIG"])
    if cluster.serves(task):
        with quick_imports():
            from components.supervision.tensorflow_server import serve

        training = json.loads(arguments["custom_config"]["training"])
        serve(TrainingConfig.model_validate(training), task)
    else:
        with quick_imports():
            run_fn = pkgutil.resolve_name(function)
        run_fn(SimpleNamespace(**arguments))


def _leave(report: Report) -> int:
    """Leaves the report; the exit code says so where the disk has no room even for that."""
    path = os.environ.get(REPORT_VARIABLE)
    try:
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(report.to_json())
    except OSError as error:
        return error.errno if error.errno in DISK_FULL else 1
    return 1


def _end_when_asked() -> None:
    signal.sigwait({signal.SIGTERM})
    os._exit(TERMINATED)


if __name__ == "__main__":
    work_supervised(run_job)
