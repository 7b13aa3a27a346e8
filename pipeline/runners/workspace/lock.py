"""Locks a directory for one run, and checks that files can be written to it."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pipeline.core.error_causes import DISK_FULL
from pipeline.core.errors import ConfigError
from pipeline.core.files import is_lock_held, try_lock

_FILE = ".lock"
_ATTEMPTS = (0, 0.05, 0.2)
"""Seconds before each attempt: `is_locked` of another process holds the lock for a moment."""
_IN_ITS_PLACE = "remove the file that is in its place"
_REMEDIES = {
    errno.EROFS: "mount its file system so that it can be written",
    errno.EEXIST: _IN_ITS_PLACE,
    errno.ENOTDIR: _IN_ITS_PLACE,
}
"""What makes a directory writable, by the error number; see also `UnwritableError`."""


class UnwritableError(ConfigError):
    """A directory that the run needs cannot be made or written.

    `is_forbidden` tells that another user may well write there.
    """

    def __init__(self, directory: Path, key: str, error: OSError) -> None:
        other = f"name another directory with {key}"
        remedy = _REMEDIES.get(error.errno or 0)
        super().__init__(
            f"{key} {directory}: cannot be written: {error.strerror}",
            f"{remedy}, or {other}" if remedy else other,
        )
        self.is_forbidden = error.errno in (errno.EACCES, errno.EPERM)


@contextlib.contextmanager
def lock_directory(directory: Path, key: str, name: str | None = None) -> Iterator[int]:
    """Locks `directory`, the value of the option `key`, and yields the lock's file descriptor.

    The lock lasts until the last process with the descriptor has ended.

    Args:
      name: the value as the user gave it, if it is not the directory.

    Raises:
      ConfigError: the directory cannot be made, written or locked, or another run has locked it.
    """
    make_writable(directory, key)
    try:
        file = (directory / _FILE).open("a+", encoding="utf-8")
    except OSError as error:
        raise _unwritable(directory, key, error) from None
    with file:
        try:
            is_ours = any(_try_lock(file.fileno(), seconds) for seconds in _ATTEMPTS)
        except OSError as error:
            raise ConfigError(
                f"{key} {directory}: cannot be locked: {error.strerror}",
                f"a network file system may have no locks; name a local directory with {key}",
            ) from None
        if not is_ours:
            file.seek(0)
            raise ConfigError(
                f"{key} {name or directory}: another run is at work here "
                f"({_describe_holder(file.read())})",
                f"wait for it, or name another directory with {key}",
            )
        _write_holder(file.fileno())
        yield file.fileno()


def _try_lock(descriptor: int, seconds: float) -> bool:
    time.sleep(seconds)
    return try_lock(descriptor)


def is_locked(directory: Path) -> bool:
    """Whether a run has locked the directory."""
    return is_lock_held(directory / _FILE) is True


def _write_holder(lock: int) -> None:
    with _bearing_a_full_disk():
        os.ftruncate(lock, 0)
        os.write(lock, str(os.getpid()).encode())


def add_holder(lock: int, pid: int) -> None:
    """Writes the id of a process that has inherited the lock's descriptor to the lock file."""
    with _bearing_a_full_disk():
        os.write(lock, f" {pid}".encode())


@contextlib.contextmanager
def _bearing_a_full_disk() -> Iterator[None]:
    """Lets a full disk leave the ids out: the lock holds without them, and `gc` needs the lock."""
    try:
        yield
    except OSError as error:
        if error.errno not in DISK_FULL:
            raise


def make_writable(directory: Path, key: str) -> None:
    """Makes the directory unless it exists, and checks that a file can be made in it.

    Raises:
      ConfigError: the directory cannot be made, or no file can be made in it.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(directory, key, error) from None
    check_writable(directory, key)


def check_writable(directory: Path, key: str) -> None:
    """Checks, before hours of work, that a file can be made in `directory`.

    The check makes a file: the directory's mode says nothing about root and about read-only disks.

    Raises:
      ConfigError: no file can be made in `directory`, the value of the option `key`.
    """
    try:
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise _unwritable(directory, key, error) from None


def check_file(path: Path, key: str) -> None:
    """Checks that the file, the value of the option `key`, can be written.

    Raises:
      ConfigError: the file cannot be written.
    """
    if path.is_dir():
        raise ConfigError(f"{key} {path}: is a directory", f"name a file with {key}")
    check_writable(path.absolute().parent, key)


def _unwritable(directory: Path, key: str, error: OSError) -> Exception:
    if error.errno in DISK_FULL:
        return OSError(error.errno, error.strerror, str(directory))
    return UnwritableError(directory, key, error)


def _describe_holder(pids: str) -> str:
    """Returns the words about the processes that hold the lock.

    If a run is killed, its DAG process holds the lock until it has ended too.
    """
    run, *others = pids.split() or ["unknown"]
    if _is_alive(run):
        return f"process {run}"
    alive = [f"; process {pid} is still shutting down" for pid in others if _is_alive(pid)]
    return f"process {run}, which has ended{''.join(alive)}"


def _is_alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True  # The process belongs to another user.
    return True
