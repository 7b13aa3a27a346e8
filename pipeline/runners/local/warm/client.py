"""The command's side: asks the warm process for a DAG process, or starts a warm process."""

from __future__ import annotations

import math
import os
import socket
import struct
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pipeline.core.code_digest import PROJECT
from pipeline.core.errors import ConfigError
from pipeline.runners.local.warm.address import (
    UnfitPlaceError,
    check_address,
    find_place,
    make_socket,
)
from pipeline.runners.local.warm.fingerprint import compute_fingerprint
from pipeline.runners.local.warm.forked_process import ForkedProcess
from pipeline.runners.local.warm.messages import (
    Files,
    Request,
    Start,
    make_pair,
    receive_answer,
    send_request,
    wait_for,
)

_ANSWER_SECONDS = 10.0
"""Until a warm process that waits has forked; a busy machine may take seconds."""
_LOOK_SECONDS = 2.0
"""For the answer at the end of a run, which may then be interrupted for nothing."""
_Send = Callable[[socket.socket, int], ForkedProcess]
"""Sends a run's request; the id of the warm process is 0 if this command has not started it."""
_CREDENTIALS = "3i"
"""Linux's `struct ucred`: the ids of process, user and group."""
_CODE = f"""
import sys
sys.path[0] = {str(PROJECT)!r}
from pipeline.runners.local.warm.warm_process import main
main()
"""
"""Not by -m, which would look for modules in the working directory of the first command."""


@dataclass(frozen=True)
class WaitingProcess:
    """A warm process that would run the next run."""

    pid: int
    memory: int
    """Bytes in memory."""
    minutes: int
    """How long it still waits."""


def check_place() -> None:
    """Raises ConfigError if no process can be kept warm here."""
    if sys.platform != "linux":
        raise ConfigError("--keep-warm: works on Linux only", "leave the option out")
    try:
        check_address(find_place())
    except UnfitPlaceError as error:
        raise ConfigError(
            f"--keep-warm: no process can wait in the directory of caches: {error}",
            "name another directory with the environment variable XDG_CACHE_HOME, or leave the "
            "option out",
        ) from error


def fork_dag_process(
    environment: Mapping[str, str],
    own_variables: Mapping[str, str],
    job: str,
    log: int,
    locks: tuple[int, ...],
    minutes: int,
) -> ForkedProcess:
    """Returns a DAG process, forked from the warm process that waits or from a new one.

    Args:
      environment: what the warm process and this command must have in common.
      own_variables: the variables of this run alone.
      job: the line of `Job`.
      log: the descriptor of the file for the output of the DAG process.
      locks: descriptors, which the caller keeps open until the process has ended.
      minutes: how long the warm process waits for the next run after this one.
    """
    request = Request(compute_fingerprint(environment), minutes)
    directory = os.open(".", os.O_PATH | os.O_DIRECTORY)
    start = Start(os.getcwd(), {**environment, **own_variables}, job).open()
    send = partial(_send, request, (log, directory, start), locks)
    try:
        return _ask(send) or _start(send, request.fingerprint, environment, log)
    finally:
        os.close(directory)
        os.close(start)


def find_warm_process(environment: Mapping[str, str]) -> WaitingProcess | None:
    """Returns the process of which the next run in this environment would be a fork, if any."""
    connection = _connect()
    if connection is None:
        return None
    with connection:
        try:
            send_request(connection, Request(compute_fingerprint(environment), 0), None)
        except OSError:  # It has just ended.
            return None
        if not wait_for([connection.fileno()], _LOOK_SECONDS):
            return None
        kind, seconds = receive_answer(connection)
        size = struct.calcsize(_CREDENTIALS)
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    if kind != "seconds":
        return None
    pid, _, _ = struct.unpack(_CREDENTIALS, credentials)
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:  # It has just ended.
        return None
    return WaitingProcess(pid, pages * os.sysconf("SC_PAGE_SIZE"), math.ceil(seconds / 60))


def _ask(send: _Send) -> ForkedProcess | None:
    connection = _connect()
    if connection is None:
        return None
    try:
        process = send(connection, 0)
    except OSError:  # It has just ended.
        connection.close()
        return None
    if process.wait_for_fork(_ANSWER_SECONDS):
        return process
    process.close()
    return None


def _connect() -> socket.socket | None:
    connection = make_socket()
    try:
        connection.settimeout(_ANSWER_SECONDS)
        connection.connect(str(find_place()))
    except (OSError, UnfitPlaceError):
        connection.close()
        return None
    return connection


def _start(
    send: _Send, fingerprint: str, environment: Mapping[str, str], log: int
) -> ForkedProcess:
    """Not by subprocess.Popen, which warns of children that outlive their parent."""
    ours, its = make_pair()
    with its:
        its.set_inheritable(True)
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-c", _CODE, str(its.fileno()), fingerprint],
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, log, 1),
                (os.POSIX_SPAWN_DUP2, log, 2),
            ],
            setsid=True,
        )
    return send(ours, pid)


def _send(
    request: Request, files: tuple[int, int, int], locks: tuple[int, ...],
    connection: socket.socket, warm_process: int,
) -> ForkedProcess:  # fmt: skip
    """Sends the request with standard input of the DAG process, whose other end stays here."""
    reader, writer = os.pipe()
    try:
        send_request(connection, request, Files(reader, *files))
    except OSError:
        os.close(writer)
        raise
    finally:
        os.close(reader)
    return ForkedProcess(connection, os.fdopen(writer, "wb"), locks, warm_process)
