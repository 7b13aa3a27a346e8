"""One run at a time in a directory: the lock, and whether the directory can be written at all."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pipeline.core.errors import ConfigError

_FILE = ".lock"


@contextlib.contextmanager
def locked(directory: Path, key: str) -> Iterator[int]:
    """Holds `directory`, the value of the option `key`, for one run; gives the lock's descriptor.

    The lock ends with the last process that has the descriptor.

    Raises:
      ConfigError: the directory cannot be used or written, or another run holds it.
    """
    make_writable(directory, key)
    try:
        file = (directory / _FILE).open("a+", encoding="utf-8")
    except OSError as error:
        raise _unwritable(directory, key, error) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise ConfigError(
                f"{key} {directory}: another run is at work here ({_holder(file.read())})",
                f"wait for it, or name another directory with {key}",
            ) from None
        except OSError as error:
            raise ConfigError(
                f"{key} {directory}: cannot be locked: {error.strerror}",
                f"a network's file system may have no locks; name a local directory with {key}",
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield file.fileno()


def is_locked(directory: Path) -> bool:
    """Whether a run holds the directory."""
    try:
        with (directory / _FILE).open(encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except OSError:
        # There is no lock, or there can be none.
        return False


def add_holder(lock: int, pid: int) -> None:
    """Notes a process that has inherited the lock's descriptor, and so holds it too."""
    os.write(lock, f" {pid}".encode())


def make_writable(directory: Path, key: str) -> None:
    """Makes the directory where there is none, and holds it to `check_writable`.

    Raises:
      ConfigError: no file can be made in it.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(directory, key, error) from None
    check_writable(directory, key)


def check_writable(directory: Path, key: str) -> None:
    """Finds out before hours of work. Not by the mode: that does not tell for every user and disk.

    Raises:
      ConfigError: no file can be made in `directory`, which the option `key` needs.
    """
    try:
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise _unwritable(directory, key, error) from None


def check_file(path: Path, key: str) -> None:
    """Finds out whether the file can be written that the option `key` names.

    Raises:
      ConfigError: it cannot.
    """
    if path.is_dir():
        raise ConfigError(f"{key} {path}: is a directory", f"name a file with {key}")
    check_writable(path.absolute().parent, key)


def _unwritable(directory: Path, key: str, error: OSError) -> Exception:
    if error.errno == errno.ENOSPC:
        return OSError(error.errno, error.strerror, str(directory))
    return ConfigError(
        f"{key} {directory}: cannot be written: {error.strerror}",
        f"name another directory with {key}",
    )


def _holder(pids: str) -> str:
    """A killed run keeps the lock until its working process has ended too."""
    run, *others = pids.split() or ["unknown"]
    if _is_alive(run):
        return f"process {run}"
    left = [f" in process {pid}" for pid in others if _is_alive(pid)]
    return f"process {run}, which is just ending{''.join(left)}"


def _is_alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True  # Of another user.
    return True
