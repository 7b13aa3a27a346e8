"""The address at which a warm process waits: a socket in a directory of this user alone."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

from pipeline.core.code_digest import PROJECT
from pipeline.core.environment import caches_directory

_LONGEST = 107
"""The bytes of a path that a socket can have on Linux."""


class UnfitPlaceError(Exception):
    """No process can wait at the place; the message tells why."""


def find_place() -> Path:
    """Returns the place of this checkout and this user, and makes its directory.

    Raises:
      UnfitPlaceError: the path is too long for a socket, or others could wait there.
    """
    name = hashlib.sha256(os.fsencode(PROJECT)).hexdigest()[:16]
    try:
        place = caches_directory().absolute() / "tfx-production-training/warm" / name
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = place.parent.stat()
    except (OSError, RuntimeError) as error:
        raise UnfitPlaceError(str(error)) from error
    if len(os.fsencode(place)) > _LONGEST:
        raise UnfitPlaceError(f"{place.parent}: the path is too long for a socket")
    if status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o077:
        raise UnfitPlaceError(f"{place.parent}: other users have access to the directory")
    return place


def make_socket() -> socket.socket:
    """Returns a socket that keeps messages apart."""
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def check_address(place: Path) -> None:
    """Makes a socket beside the place, and removes it.

    Raises:
      UnfitPlaceError: no socket can be made here, or the place is taken by something else.
    """
    if place.exists() and not place.is_socket():
        raise UnfitPlaceError(f"{place}: is no socket")
    with make_socket() as trial, _staged(trial, place):
        pass


class Address:
    """Listens at the place, and takes it over from the process that listened there before."""

    def __init__(self, place: Path) -> None:
        """Raises UnfitPlaceError if no socket can be made here."""
        self._place = place
        self.listener = make_socket()
        with _staged(self.listener, place) as staged:
            self.listener.listen()
            self._inode = staged.stat().st_ino
            staged.replace(place)

    def is_ours(self) -> bool:
        """Whether no other process has taken the place over, and nobody has removed it."""
        try:
            return self._place.stat().st_ino == self._inode
        except OSError:
            return False

    def free(self) -> None:
        """Lets no further command connect."""
        if self.is_ours():
            self._place.unlink(missing_ok=True)

    def close(self) -> None:
        """Frees the place, and drops the commands that wait for an answer."""
        self.free()
        self.listener.close()


@contextlib.contextmanager
def _staged(listener: socket.socket, place: Path) -> Iterator[Path]:
    """Binds the socket to a path beside the place, which is gone after the `with` statement.

    An error closes the socket.
    """
    staged = place.with_name(secrets.token_hex(8))  # As long as the name of the place.
    try:
        listener.bind(str(staged))
        yield staged
    except OSError as error:
        listener.close()
        raise UnfitPlaceError(f"{place}: {error.strerror}") from error
    finally:
        # On a read-only disk, which is the error above.
        with contextlib.suppress(OSError):
            staged.unlink(missing_ok=True)
