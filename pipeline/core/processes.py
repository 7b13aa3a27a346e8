"""Processes: how many cores they may use, how they end each other, and how they leave.

Imports the standard library alone: small processes use this module too.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NoReturn, Protocol

INTERRUPTED = 130
"""The exit code after Ctrl-C or SIGTERM, as shells count it: 128 + SIGINT."""

_QUOTA = Path("/sys/fs/cgroup/cpu.max")
"""The CPU time of this container: microseconds in each period, and the period."""
_POLL_SECONDS = 0.1
"""How often `end_foreign_group` looks: another process's child cannot be waited for."""


class Leader(Protocol):
    """A child that leads a process group, such as a `subprocess.Popen` in a session of its own."""

    pid: int

    def terminate(self) -> None: ...
    def wait(self, timeout: float | None = None) -> int: ...


def available_cores() -> int:
    """Returns the cores this process may run on, at most those its container has CPU time for."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    if _QUOTA.exists():
        quota, _, period = _QUOTA.read_text().partition(" ")
        if quota.isdigit():
            cores = min(cores, max(1, round(int(quota) / int(period))))
    return cores


def wait_or_kill(process: subprocess.Popen[bytes], grace_seconds: float) -> None:
    """Waits for the end of the process, and kills it when the grace time is over."""
    try:
        process.wait(grace_seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def end_group(leader: Leader, grace_seconds: float) -> None:
    """Ends a child process and everything it started: the child must lead a group of its own.

    Sends SIGTERM to the leader and waits; then kills what is left of the group. Ctrl-C cuts the
    wait short: the group is killed, and KeyboardInterrupt is raised.
    """
    try:
        leader.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            leader.wait(grace_seconds)
    finally:
        _kill_group(leader.pid)
        leader.wait()


def end_foreign_group(leader: int, grace_seconds: float) -> None:
    """Does the same as `end_group` for a group whose leader is another process's child."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(leader, signal.SIGTERM)
        deadline = time.monotonic() + grace_seconds
        while time.monotonic() < deadline:
            os.kill(leader, 0)
            time.sleep(_POLL_SECONDS)
    _kill_group(leader)


def end_own_group(grace_seconds: float) -> None:
    """Does the same as `end_group` for the group that this process leads; never returns.

    The main thread handles SIGTERM, so call this in another thread.
    """
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace_seconds)
    _kill_group(0)


def _kill_group(leader: int) -> None:
    """Kills all processes of the group; 0 is this process's own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def when_parent_is_gone(act: Callable[[], None]) -> None:
    """Calls `act` in a thread as soon as standard input closes.

    The parent keeps the pipe open as long as it lives, whatever kills it. Nothing else may read
    standard input after this call.
    """

    def watch() -> None:
        sys.stdin.read()
        act()

    threading.Thread(target=watch, daemon=True).start()


@contextlib.contextmanager
def interrupted_when_terminated() -> Iterator[None]:
    """Treats SIGTERM as Ctrl-C; later errors count as the interruption.

    A SIGTERM may arrive after TensorFlow's native code failed and before Python has the
    exception: pybind11 then raises a RuntimeError in place of both.
    """
    is_interrupted = False

    def interrupt(*unused: Any) -> None:
        nonlocal is_interrupted
        is_interrupted = True
        # A second SIGTERM must not interrupt the clean-up after the first.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except BaseException as error:
        if is_interrupted:
            raise KeyboardInterrupt from error
        raise


@contextlib.contextmanager
def held_interruptions() -> Iterator[None]:
    """Delivers Ctrl-C and SIGTERM after the `with` statement only, as one KeyboardInterrupt.

    Processes that are started meanwhile are interrupted as usual. Only for the main thread.
    """
    arrived = False

    def note(*unused: Any) -> None:
        nonlocal arrived
        arrived = True

    previous = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    if arrived:
        raise KeyboardInterrupt


def leave(code: int) -> NoReturn:
    """Ends this process at once, without destructors.

    TensorFlow's and gRPC's threads may abort in their destructors when all work is done.
    """
    try:
        with contextlib.suppress(OSError):  # The log's disk may be full.
            logging.shutdown()
            sys.stdout.flush()
    finally:
        os._exit(code)


def silence(stream: IO[str]) -> None:
    """Lets a stream whose reader has gone write to nowhere.

    The text that it holds is lost. Otherwise, each flush would fail, the one at the exit too.
    """
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


def forward_output(output: IO[bytes], name: str) -> None:
    """Writes each line of a child to this process's standard error, after the child's name."""
    with output:
        for line in output:
            sys.stderr.write(f"[{name}] {line.decode(errors='replace').rstrip()}\n")
            sys.stderr.flush()
