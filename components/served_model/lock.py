"""One change of a serving directory at a time, whichever process or pod it comes from."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
from collections.abc import Iterator

from pipeline.core.errors import ConfigError

_FILE = ".push.lock"


@contextlib.contextmanager
def lock_serving(serving_directory: str) -> Iterator[None]:
    """Waits until nobody else changes what is served from a local directory, and holds it.

    Whatever writes the pointer, or removes a version, does so in here. The lock is flock's: it
    ends with its holder, however that ends, and network file systems that have it keep it on the
    server. Its file stays: a second one would be a second lock.

    Raises:
      ConfigError: the directory cannot be written, or its file system has no locks.
    """
    try:
        os.makedirs(serving_directory, exist_ok=True)
        # Appending: NFS gives exclusive locks only on what is open for writing.
        file = open(os.path.join(serving_directory, _FILE), "a", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise _refused(serving_directory, "written", error) from None
    with file:
        _wait_for(file.fileno(), serving_directory)
        try:
            yield
        finally:
            # Closing would not do: a process forked meanwhile has the file open too.
            fcntl.flock(file, fcntl.LOCK_UN)


def _wait_for(descriptor: int, serving_directory: str) -> None:
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):  # The second is SMB's word for it.
            logging.warning("Waiting for another run that pushes to %s", serving_directory)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError as error:
        raise _refused(serving_directory, "locked", error) from None


def _refused(serving_directory: str, what: str, error: OSError) -> ConfigError:
    return ConfigError(
        f"serving.directory: {serving_directory} cannot be {what}: {error.strerror}",
        "name another serving.directory, on a file system where this user can write and lock",
    )
