"""The lock that lets one process or pod at a time change a serving directory."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
from collections.abc import Iterator

from pipeline.core.errors import ConfigError
from pipeline.core.files import try_lock

_LOCK_FILE = ".push.lock"


@contextlib.contextmanager
def lock_serving(serving_directory: str) -> Iterator[None]:
    """Waits for the lock of a local serving directory and holds it while the context lasts.

    Code that writes the pointer or removes a version runs inside this context. The lock is an
    `flock`: the kernel releases it when its holder ends, even when the holder is killed, and
    network file systems that support `flock` keep the lock on the server. The lock file is never
    removed: a new file would be a second lock.

    Raises:
      ConfigError: the directory cannot be written, or its file system has no locks.
    """
    try:
        os.makedirs(serving_directory, exist_ok=True)
        # NFS grants exclusive locks only on files that are open for writing.
        file = open(os.path.join(serving_directory, _LOCK_FILE), "a", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise _make_error(serving_directory, "written", error) from None
    with file:
        _acquire(file.fileno(), serving_directory)
        try:
            yield
        finally:
            # Closing the file would not release the lock: a forked process has it open, too.
            fcntl.flock(file, fcntl.LOCK_UN)


def _acquire(descriptor: int, serving_directory: str) -> None:
    try:
        if not try_lock(descriptor):
            logging.warning(
                "Waiting for another run, promote or rollback that changes %s", serving_directory
            )
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError as error:
        raise _make_error(serving_directory, "locked", error) from None


def _make_error(serving_directory: str, what: str, error: OSError) -> ConfigError:
    return ConfigError(
        f"serving.directory: {serving_directory} cannot be {what}: {error.strerror}",
        "name another serving.directory, on a file system where this user can write and lock",
    )
