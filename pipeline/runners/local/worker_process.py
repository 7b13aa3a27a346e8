"""The working process as its parent sees it: apart from the terminal, and never left over."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.processes import end_group
from pipeline.runners.local.job import Job
from pipeline.runners.workspace.lock import add_holder

_GRACE_SECONDS = 20


@contextlib.contextmanager
def working_process(
    job: Job, run: Path, locks: tuple[int, ...]
) -> Iterator[subprocess.Popen[bytes]]:
    """The working process; it gets the chance to end in order, whatever happens here."""
    environment = {
        **os.environ,
        "TMPDIR": job.temporary,
        EVENTS_VARIABLE: str(run / "events.jsonl"),
        "TF_USE_LEGACY_KERAS": "1",
        "TF_CPP_MIN_LOG_LEVEL": os.environ.get("TF_CPP_MIN_LOG_LEVEL", "1"),
    }
    with open(run / "run.log", "wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "pipeline.runners.local.worker"],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            # Ctrl-C reaches the parent alone, which then asks the worker to end.
            start_new_session=True,
            # Should this process be killed, the directory stays locked until the worker has ended.
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
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and everything it started, such as Beam's workers.

    A second Ctrl-C kills the processes at once.
    """
    with contextlib.suppress(KeyboardInterrupt):
        end_group(process, _GRACE_SECONDS)
