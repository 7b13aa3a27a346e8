"""The command's handle of a DAG process that the warm process forks."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from typing import IO

from pipeline.runners.local.warm.messages import receive_answer, send_locks, wait_for

_LAST_ANSWER_SECONDS = 1.0
"""For the return code of a fork that has ended; the warm process looks twenty times a second."""


class ForkedProcess:
    """A DAG process that the warm process forks, with what is needed of `subprocess.Popen`.

    Args:
      connection: to the warm process, which has the request.
      stdin: the command's end of the pipe, which carries nothing.
      locks: the descriptors that the DAG process gets as soon as it exists.
      warm_process: its id if this command has started it, else 0.
    """

    pid: int
    """The process to end: the DAG process, or the warm process of this command before the fork."""

    def __init__(
        self, connection: socket.socket, stdin: IO[bytes], locks: tuple[int, ...], warm_process: int
    ) -> None:
        self.pid = warm_process
        self.stdin = stdin
        self.returncode: int | None = None
        self._connection = connection
        self._locks = locks
        self._child = warm_process
        self._handles: list[int] = []
        """The fork's pidfd, which tells of its end even if the warm process is stopped."""

    def poll(self) -> int | None:
        """Returns the return code as `subprocess.Popen` does; None while the process runs."""
        while self.returncode is None and self._receive(0):
            pass
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Waits for the end.

        Raises:
          subprocess.TimeoutExpired: the process still runs after `timeout` seconds.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            left = None if deadline is None else max(deadline - time.monotonic(), 0)
            if not self._receive(left):
                assert timeout is not None
                raise subprocess.TimeoutExpired("the DAG process", timeout)
        return self.returncode

    def terminate(self) -> None:
        """Sends SIGTERM; before the fork, to the warm process of this command."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def wait_for_fork(self, seconds: float) -> bool:
        """Returns whether the process was forked within this time."""
        return self._receive(seconds) and self.returncode is None

    def close(self) -> None:
        """Closes the connection, and standard input of the process."""
        self._connection.close()
        while self._handles:
            os.close(self._handles.pop())
        self.stdin.close()

    def _receive(self, seconds: float | None) -> bool:
        """Takes in an answer; returns whether there was one in time. None waits for ever."""
        own = self._connection.fileno()
        if not wait_for([own, *self._handles], seconds):
            return False
        if not wait_for([own], _LAST_ANSWER_SECONDS):
            # The fork has ended, and the warm process is stopped.
            self.returncode = -signal.SIGKILL
            return True
        kind, number = receive_answer(self._connection)
        if kind == "pid":
            self._take_over(number)
        elif kind == "exit":
            self.returncode = number
        else:
            self.returncode = self._find_end_of_warm_process()
        return True

    def _take_over(self, pid: int) -> None:
        """Gives the fork its locks."""
        self.pid = pid
        # An old kernel has none; where the fork has already ended, the next answer tells how.
        with contextlib.suppress(OSError):
            self._handles.append(os.pidfd_open(pid))
        with contextlib.suppress(OSError):
            send_locks(self._connection, self._locks)

    def _find_end_of_warm_process(self) -> int:
        """Returns the return code of a process that ended before it could tell that of its fork."""
        code = 0
        if self._child and self._child == self.pid:
            # Where the parent of this command lets it ignore SIGCHLD, no status is kept.
            with contextlib.suppress(ChildProcessError):
                code = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        return code or -signal.SIGKILL
