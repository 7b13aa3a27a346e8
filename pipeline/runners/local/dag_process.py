"""Starts the DAG process away from the terminal, and makes sure that it ends."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from pipeline.core.contracts import RunFile
from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.processes import end_group
from pipeline.runners.local.job import Job
from pipeline.runners.local.warm.client import fork_dag_process
from pipeline.runners.local.warm.forked_process import ForkedProcess
from pipeline.runners.workspace.lock import add_holder

_GRACE_SECONDS = 20
"""Seconds for the DAG process to stop its own processes and clean up; then it is killed."""

DagProcess = subprocess.Popen[bytes] | ForkedProcess


def shared_environment() -> dict[str, str]:
    """Returns the variables that the DAG processes of this environment have in common."""
    return {
        **os.environ,
        "TF_USE_LEGACY_KERAS": "1",
        "TF_CPP_MIN_LOG_LEVEL": os.environ.get("TF_CPP_MIN_LOG_LEVEL", "1"),
    }


@contextlib.contextmanager
def start_dag_process(
    job: Job, run: Path, locks: tuple[int, ...], keep_warm: int | None = None
) -> Iterator[DagProcess]:
    """Starts the DAG process with its job, yields it, and ends it after the `with` statement.

    Args:
      keep_warm: for how many minutes a warm process waits for the next run, which is then a fork
        of it, as this one is; None starts a process for this run alone.
    """
    shared = shared_environment()
    own = {"TMPDIR": job.temporary, EVENTS_VARIABLE: str(run / RunFile.EVENTS)}
    line = job.to_line()
    with open(run / RunFile.LOG, "wb") as log:
        if keep_warm is None:
            process: DagProcess = _start({**shared, **own}, log, locks)
        else:
            process = fork_dag_process(shared, own, line.decode(), log.fileno(), locks, keep_warm)
    try:
        if isinstance(process, subprocess.Popen):
            _send(line, process)
        yield process
    finally:
        end_dag_process(process)
        if isinstance(process, ForkedProcess):
            process.close()


def _start(
    environment: dict[str, str], log: IO[bytes], locks: tuple[int, ...]
) -> subprocess.Popen[bytes]:
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
    for lock in locks:
        add_holder(lock, process.pid)
    return process


def _send(job: bytes, process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    # If the process has ended already, its return code tells more.
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(job)
        process.stdin.flush()


def end_dag_process(process: DagProcess) -> None:
    """Ends the process and everything it started, such as Beam's workers.

    A second Ctrl-C kills the processes at once.
    """
    with contextlib.suppress(KeyboardInterrupt):
        end_group(process, _GRACE_SECONDS)
