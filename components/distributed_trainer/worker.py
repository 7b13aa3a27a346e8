"""A process of a cluster: runs the user's `run_fn` as TFX's own Trainer would, or serves who does.

The job, TFX's input to an executor as one line of JSON, comes on standard input. The pipe stays
open: when it closes, the supervisor is gone and this process ends too. Other supervised processes
do the same with another kind of job.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import NoReturn

from components.distributed_trainer.cluster import Cluster
from components.distributed_trainer.job import Job
from components.distributed_trainer.report import Report
from pipeline.config.environment import REPORT_VARIABLE
from pipeline.config.faults import DISK_FULL
from pipeline.config.imports import quick_imports

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
    threading.Thread(target=_end_with_supervisor, daemon=True).start()
    try:
        work(job)
    except (Exception, SystemExit) as error:
        logging.exception("The worker failed")
        return _leave(Report.of(error))
    return 0


def _do(job: str) -> None:
    cluster, task = Cluster.of_process(os.environ["TF_CONFIG"])
    if cluster.serves(task):
        # Only these import TensorFlow here.
        with quick_imports():
            from components.distributed_trainer.server import serve

        serve(job, task)
    else:
        Job.from_line(job).run()


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


def _end_with_supervisor() -> None:
    sys.stdin.read()
    os._exit(TERMINATED)


if __name__ == "__main__":
    work_supervised(_do)
