"""The guard: a process that ends the running task if the executor is killed.

The executor writes the id of the running task's process to the guard's standard input. When the
executor dies, the pipe closes, and the guard ends the last task. The guard also holds the
directory's lock, so no other run starts while the task still runs. To stay small, the guard imports
only the standard library and modules that import nothing else.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterable, Iterator

from pipeline.core.processes import end_foreign_group

GRACE_SECONDS = 30
"""Seconds between SIGTERM and SIGKILL: the default grace period of Kubernetes."""
_NONE = 0


class Guard:
    """The executor's handle of the guard process."""

    def __init__(self, lock: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pipeline.runners.kfp_local.guard"],
            stdin=subprocess.PIPE,
            text=True,
            # A new session, so that Ctrl-C reaches only the executor.
            start_new_session=True,
            pass_fds=(lock,),
        )
        self.pid = self._process.pid

    @contextlib.contextmanager
    def watch_task(self, leader: int) -> Iterator[None]:
        """Guards the process group of `leader` for the duration of the context."""
        self._send(leader)
        try:
            yield
        finally:
            self._send(_NONE)

    def close(self) -> None:
        """Ends the guard process; no task is running."""
        with contextlib.suppress(BrokenPipeError):
            self._process.communicate()

    def _send(self, leader: int) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # The guard itself was killed.
            self._process.stdin.write(f"{leader}\n")
            self._process.stdin.flush()


def end_last(leaders: Iterable[str]) -> None:
    """Reads the ids of group leaders until the end, then ends the group of the last leader."""
    leader = _NONE
    for line in leaders:
        leader = int(line)
    if leader == _NONE:
        return
    end_foreign_group(leader, GRACE_SECONDS)


if __name__ == "__main__":
    end_last(sys.stdin)
