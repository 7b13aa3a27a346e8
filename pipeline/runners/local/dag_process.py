"""Starts the DAG process away from the terminal, and makes sure that it ends."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pipeline.core.contracts import RunFile
from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.processes import end_group
from pipeline.runners.local.job import Job
from pipeline.runners.workspace.lock import add_holder

_GRACE_SECONDS = 20
"""Seconds for the DAG process to stop its own processes and clean up; then it is killed."""


@contextlib.contextmanager
def start_dag_process(
    job: Job, run: Path, locks: tuple[int, ...]
) -> Iterator[subprocess.Popen[bytes]]:
    """Starts the DAG process with its job, yields it, and ends it after the `with` statement."""
    environment = {
        **os.environ,
        "TMPDIR": job.temporary,
        EVENTS_VARIABLE: str(run / RunFile.EVENTS),
        "TF_USE_LEGACY_KERAS": "1",
        "TF_CPP_MIN_LOG_LEVEL": os.environ.get("TF_CPP_MIN_LOG_LEVEL", "1"),
    }
    with open(run / RunFile.LOG, "wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "pipeline.runners.local.dag_process_main"],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            # Ctrl-C must reach the parent only, which then asks this process to end.
            start_new_session=True,
            # If the parent is killed, this process holds the directories' locks until it ends.
            pass_fds=locks,
        )
    assert process.stdin is not None
    for lock in locks:
        add_holder(lock, process.pid)
    try:
        process.stdin.write(job.to_line())
        process.stdin.flush()
        yield process
    finally:
        end_dag_process(process)


def end_dag_process(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and everything it started, such as Beam's workers.

    A second Ctrl-C kills the processes at once.
    """
    with contextlib.suppress(KeyboardInterrupt):
        end_group(process, _GRACE_SECONDS)
