"""The lock that lets one process or pod at a time change a serving directory."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
from collections.abc import Iterator

from components.served_model.store.local_copy import LocalCopy
from pipeline.core.errors import ConfigError
from pipeline.core.files import try_lock

_LOCK_FILE = ".push.lock"


@contextlib.contextmanager
def lock_serving(serving_directory: str) -> Iterator[None]:
    """Waits for the right to change a serving directory and keeps it while the context lasts.

    Code that writes the pointer or removes a version runs inside this context. If the directory is
    the copy of one on an object store, it is as the store is when the context begins, and the store
    becomes as the directory is when the context ends without an exception.

    Raises:
      ConfigError: the directory cannot be written, or its file system has no locks; or the store
        was changed from elsewhere meanwhile.
    """
    with hold_lock(serving_directory):
        copy = LocalCopy.find(serving_directory)
        if copy is None:
            yield
            return
        # Only a pipeline with a store pays for the store's client.
        from components.served_model.store.publishing import publishing

        with publishing(copy):
            yield


@contextlib.contextmanager
def hold_lock(serving_directory: str) -> Iterator[None]:
    """Waits for the lock of a local directory and holds it while the context lasts.

    The lock is an
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
