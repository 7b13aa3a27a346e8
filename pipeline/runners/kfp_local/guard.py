"""Ends the task at work when the executor is gone: who was killed cannot do it.

A process of its own, which is told on its standard input which task is at work. When the pipe
closes, nobody is left to tell. It holds the lock too, so that no other run meets the task. Imports
only the standard library and what imports no more: it stays small.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterable, Iterator

from pipeline.core.processes import end_foreign_group

GRACE_SECONDS = 30
"""Between SIGTERM and SIGKILL, as Kubernetes has it."""
_NONE = 0


class Guard:
    """The process, as the executor sees it."""

    def __init__(self, lock: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pipeline.runners.kfp_local.guard"],
            stdin=subprocess.PIPE,
            text=True,
            # Ctrl-C reaches the executor alone.
            start_new_session=True,
            pass_fds=(lock,),
        )
        self.pid = self._process.pid

    @contextlib.contextmanager
    def watch_task(self, leader: int) -> Iterator[None]:
        """While the process `leader` of a group of its own, and all it started, are at work."""
        self._tell(leader)
        try:
            yield
        finally:
            self._tell(_NONE)

    def close(self) -> None:
        """The run is over."""
        with contextlib.suppress(BrokenPipeError):
            self._process.communicate()

    def _tell(self, leader: int) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # Killed itself; the task needs it no more.
            self._process.stdin.write(f"{leader}\n")
            self._process.stdin.flush()


def end_last(leaders: Iterable[str]) -> None:
    """Ends the group of the last leader, when no more are told."""
    leader = _NONE
    for line in leaders:
        leader = int(line)
    if leader == _NONE:
        return
    end_foreign_group(leader, GRACE_SECONDS)


if __name__ == "__main__":
    end_last(sys.stdin)
