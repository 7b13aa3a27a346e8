"""The warm process: it imports what a run needs, and then forks a DAG process for each request."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import socket
import sys
import tempfile
import time
import traceback
from typing import Any, NamedTuple, NoReturn

from pipeline.core.imports import quick_imports
from pipeline.core.processes import leave, silence
from pipeline.core.text import print_to_log
from pipeline.runners.local import dag_process_main
from pipeline.runners.local.job import Job
from pipeline.runners.local.warm.address import Address, UnfitPlaceError, find_place
from pipeline.runners.local.warm.loaded_files import LoadedFiles
from pipeline.runners.local.warm.messages import (
    Files,
    Request,
    Start,
    receive_locks,
    receive_request,
    send_answer,
    wait_for,
)
from pipeline.runners.workspace.lock import add_holder

_LOOK_SECONDS = 0.05
"""Between two looks for ended forks; the command waits for the answer meanwhile."""
_IDLE_SECONDS = 1.0
"""Between two looks while nothing runs."""


class _Fork(NamedTuple):
    connection: socket.socket
    minutes: int
    """How long this process waits after the end of the fork."""


class WarmProcess:
    """Forks DAG processes until nobody has asked for one for a while."""

    def __init__(self, fingerprint: str) -> None:
        self._fingerprint = fingerprint
        self._started_ns = time.time_ns()
        self._variables = dict(os.environ)
        self._files: LoadedFiles | None = None
        self._address: Address | None = None
        self._callers: list[socket.socket] = []
        """Connections whose request has not come yet."""
        self._forks: dict[int, _Fork] = {}
        self._deadline = time.monotonic()

    def answer(self, connection: socket.socket) -> None:
        """Forks a DAG process for a request; closes the connection if it is not fit for it."""
        received = receive_request(connection)
        if received is None:
            connection.close()
            return
        request, files = received
        is_fit = self._is_fit(request)
        if files is None:
            with connection:
                if is_fit:
                    send_answer(connection, "seconds", round(self._seconds_left()))
            return
        try:
            pid = os.fork() if is_fit else None
        except OSError:  # Too little memory, or too many processes.
            pid = None
        if pid == 0:
            self._become_dag_process(connection, files)
        files.close()
        if pid is None:
            connection.close()
        else:
            self._forks[pid] = _Fork(connection, request.minutes)

    def serve(self) -> None:
        """Answers requests until no fork runs and the time is over.

        The process takes no requests any more after SIGTERM, and where another process has taken
        the address over.
        """
        self._files = LoadedFiles(self._started_ns)
        try:
            self._address = Address(find_place())
        except UnfitPlaceError:  # The command had checked the place.
            return
        os.chdir("/")
        signal.signal(signal.SIGTERM, self._take_no_more)
        try:
            while self._forks or self._is_wanted():
                self._take_requests(self._address.listener)
                self._reap()
        finally:
            self._address.close()

    def wait(self) -> None:
        """Waits for the end of all forks."""
        while self._forks:
            time.sleep(_LOOK_SECONDS)
            self._reap()

    def _is_fit(self, request: Request) -> bool:
        """Whether a fork would equal a new process; the first run is forked amid its imports."""
        is_ours = request.fingerprint == self._fingerprint
        return is_ours and (self._files is None or self._files.are_unchanged())

    def _seconds_left(self) -> float:
        """Returns how long this process will wait, also if forks still run."""
        of_forks = (fork.minutes * 60 for fork in self._forks.values())
        return max(self._deadline - time.monotonic(), *of_forks, 0)

    def _is_wanted(self) -> bool:
        assert self._address is not None
        return self._address.is_ours() and time.monotonic() < self._deadline

    def _take_requests(self, listener: socket.socket) -> None:
        seconds = _LOOK_SECONDS if self._forks else _IDLE_SECONDS
        sockets = {s.fileno(): s for s in (listener, *self._callers)}
        for ready in map(sockets.__getitem__, wait_for(sockets, seconds)):
            if ready is not listener:
                self._callers.remove(ready)
                self.answer(ready)
                continue
            try:
                self._callers.append(listener.accept()[0])
            except OSError:  # Too many open files.
                time.sleep(_LOOK_SECONDS)

    def _reap(self) -> None:
        """Sends the return codes of the forks that have ended."""
        for pid in list(self._forks):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                connection, minutes = self._forks.pop(pid)
                self._deadline = max(self._deadline, time.monotonic() + minutes * 60)
                with connection:
                    send_answer(connection, "exit", os.waitstatus_to_exitcode(status))

    def _take_no_more(self, *unused: Any) -> None:
        assert self._address is not None
        self._address.free()

    def _become_dag_process(self, connection: socket.socket, files: Files) -> NoReturn:
        """Runs the job as a process that was started for it alone; never returns."""
        code = 1
        try:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            for place, descriptor in enumerate((files.stdin, files.log, files.log)):
                os.dup2(descriptor, place)
            os.fchdir(files.directory)
            start = Start.read(files.start)
            files.close()
            print(f"This process is a fork of the warm process {os.getppid()}", file=sys.stderr)
            send_answer(connection, "pid", os.getpid())
            locks = receive_locks(connection)
            self._close_connections(connection)
            for lock in locks or ():
                add_holder(lock, os.getpid())
            self._adopt(start)
            job = Job.from_line(start.job)
            code = dag_process_main.clean_up(job) if locks is None else dag_process_main.main(job)
        except BaseException:
            traceback.print_exc()
        finally:
            leave(code)

    def _adopt(self, start: Start) -> None:
        """Lets this process look as if it had been started for the job."""
        sys.path[0] = start.directory  # As `python -m` does, for the user's own modules.
        own = self._variables
        imported = {name: value for name, value in os.environ.items() if own.get(name) != value}
        os.environ.clear()
        os.environ.update({**start.environment, **imported})
        tempfile.tempdir = None  # It may have been chosen from the former environment.
        importlib.invalidate_caches()
        _reseed()

    def _close_connections(self, own: socket.socket) -> None:
        own.close()
        for connection in (*self._callers, *(fork.connection for fork in self._forks.values())):
            connection.close()
        if self._address is not None:
            self._address.listener.close()


def _reseed() -> None:
    """Gives this fork other random numbers than its siblings, as Python's own module does."""
    import numpy as np

    np.random.seed()


def _warm_up() -> bool:
    """Imports what a run needs; returns whether that was possible."""
    try:
        with quick_imports():
            from pipeline.runners.local import run_dag  # noqa: F401
    except BaseException:  # Whatever it is, it fails in the fork too, which tells the command why.
        return False
    return True


def _close_inherited(but: int) -> None:
    """Closes what the first command got from its parent, such as the file of `flock` in cron."""
    for name in os.listdir("/proc/self/fd"):
        if (descriptor := int(name)) > 2 and descriptor != but:
            with contextlib.suppress(OSError):  # That of the listing itself.
                os.close(descriptor)


def main() -> NoReturn:
    """Serves the command that started this process, and then others; never returns."""
    descriptor, fingerprint = int(sys.argv[1]), sys.argv[2]
    _close_inherited(but=descriptor)
    print_to_log()
    # Otherwise the status of a fork would be lost, if the first command's parent ignores them.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    process = WarmProcess(fingerprint)
    is_warm = _warm_up()
    process.answer(socket.socket(fileno=descriptor))
    # This process may outlive the directory of the first run with its log, and others.
    for stream in filter(None, (sys.__stdout__, sys.__stderr__)):
        silence(stream)
    try:
        if is_warm:
            process.serve()
    finally:
        process.wait()
        leave(0)
