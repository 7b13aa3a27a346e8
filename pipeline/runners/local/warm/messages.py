"""The messages between a command and the warm process.

The command sends a request, with descriptors that its DAG process gets. The warm process answers
with the id of the DAG process, and later with its return code. After the first answer, the command
sends the descriptors of its locks, which the DAG process awaits: so the locks never wait in a
process that is busy or stopped. A request without descriptors asks how many seconds the process
still waits. The warm process closes the connection where it is not fit for the request.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import select
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

_MESSAGE_BYTES = 200
_DESCRIPTORS = 16
"""More than the locks of any run."""
_LOCKS = b"locks"


@dataclass(frozen=True)
class Request:
    """Asks for a fork."""

    fingerprint: str
    minutes: int
    """How long the warm process waits for the next request after this run."""


class Files(NamedTuple):
    """Descriptors of open files of the command, which the DAG process gets."""

    stdin: int
    """A pipe whose other end the command holds as long as it lives."""
    log: int
    directory: int
    """Where the DAG process runs; its path may lead through directories that it may not enter."""
    start: int
    """A file in memory, which holds the start: no pipe takes all of it before somebody reads."""

    def close(self) -> None:
        """Closes the files in this process."""
        for descriptor in self:
            os.close(descriptor)


@dataclass(frozen=True)
class Start:
    """What the DAG process does, and with which environment."""

    directory: str
    """For the user's own modules."""
    environment: Mapping[str, str]
    job: str
    """The line of `Job`."""

    def open(self) -> int:
        """Returns the descriptor of a file in memory that holds the start."""
        descriptor = os.memfd_create("start")
        with open(descriptor, "wb", closefd=False) as file:
            file.write(json.dumps(dataclasses.asdict(self)).encode())
        return descriptor

    @classmethod
    def read(cls, descriptor: int) -> Start:
        """Returns the start that the file holds."""
        os.lseek(descriptor, 0, os.SEEK_SET)
        with open(descriptor, "rb", closefd=False) as file:
            return cls(**json.loads(file.read()))


def make_pair() -> tuple[socket.socket, socket.socket]:
    """Returns two connected sockets: the command's and that of the warm process it starts."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def send_request(connection: socket.socket, request: Request, files: Files | None) -> None:
    """Sends the request; without files it asks how long the warm process still waits."""
    text = f"{request.fingerprint} {request.minutes}".encode()
    socket.send_fds(connection, [text], files or ())


def receive_request(connection: socket.socket) -> tuple[Request, Files | None] | None:
    """Returns the request; None if the message is none, or the command has gone without one."""
    try:
        text, descriptors = _receive(connection)
    except OSError:
        return None
    try:
        fingerprint, minutes = text.decode().split()
        files = Files(*descriptors) if descriptors else None
        return Request(fingerprint, int(minutes)), files
    except (ValueError, TypeError):  # Also UnicodeDecodeError, and too few or many descriptors.
        for descriptor in descriptors:
            os.close(descriptor)
        return None


def send_locks(connection: socket.socket, locks: tuple[int, ...]) -> None:
    """Sends the locks; they hold until the DAG process has ended too."""
    socket.send_fds(connection, [_LOCKS], locks)


def receive_locks(connection: socket.socket) -> tuple[int, ...] | None:
    """Returns the locks; None if the command has gone."""
    try:
        text, descriptors = _receive(connection)
    except OSError:
        return None
    return tuple(descriptors) if text == _LOCKS else None


def _receive(connection: socket.socket) -> tuple[bytes, list[int]]:
    text, descriptors, *_ = socket.recv_fds(connection, _MESSAGE_BYTES, _DESCRIPTORS)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    return text, descriptors


def send_answer(connection: socket.socket, kind: str, number: int) -> None:
    """Sends the answer "pid", "exit" or "seconds" with its number, unless the command has gone."""
    with contextlib.suppress(OSError):
        connection.send(f"{kind} {number}".encode())


def receive_answer(connection: socket.socket) -> tuple[str, int]:
    """Returns the kind and the number of an answer; the kind is empty if there will be none."""
    try:
        kind, number = connection.recv(_MESSAGE_BYTES).decode().split()
        return kind, int(number)
    except (OSError, ValueError):  # Another program may answer there.
        return "", 0


def wait_for(descriptors: Iterable[int], seconds: float | None) -> set[int]:
    """Returns those that have something to read, after at most so many seconds; None is for ever.

    As `select.select`, which takes no descriptors above 1,023.
    """
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    ready = poll.poll(None if seconds is None else seconds * 1000)
    return {descriptor for descriptor, _ in ready}
