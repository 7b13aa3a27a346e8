"""Ownership of a backup: one run at a time trains with it, on whichever node of a cluster.

Two runs with the same code, data and settings have the same backups, such as a scheduled run and a
manual one. Without an owner, one run would remove or overwrite the files of the other.

The lock is `flock`: it ends with its holder, however the holder ends, and network file systems
that have it keep it on the server. The lock files lie in `locks` beside the backups, because
backups are removed. Lock files stay: a second file would be a second lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from pipeline.core.environment import POD_VARIABLE
from pipeline.core.error_causes import DISK_FULL
from pipeline.core.errors import ConfigError
from pipeline.core.files import try_lock

TRAINING = "training the same model"
SEARCHING = "running the same search"
"""What an owner does, as the end of the sentence "pod a is ..."."""

PATIENCE_SECONDS = 120.0
"""How long a run waits for the owner before it gives up.

An NFS 4 server keeps the lock of a lost node for its lease, 90 s by default. With less patience, a
retry on another node would take the dead Trainer for a living one. A longer wait would keep the
pod's GPUs from other runs.
"""
_POLL_SECONDS = 0.5
_LONGEST_NOTE = 300
"""The most bytes of a note about the owner that are read; a pod's name has at most 253."""


@contextlib.contextmanager
def own_backup(backups: str | Path, name: str, work: str) -> Iterator[int]:
    """Owns the backup `name` in the directory `backups`; yields the descriptor of the lock.

    A process that inherits the descriptor prolongs the ownership if this process is killed. `work`
    is TRAINING or SEARCHING.

    Raises:
      ConfigError: another process owns the backup, or its lock file cannot be written or locked.
    """
    with _open_lock(backups, name) as lock:
        _wait_for(lock, backups, work)
        _write_note(lock)
        try:
            yield lock
        finally:
            # Closing is not enough: a process forked meanwhile has the file open too.
            fcntl.flock(lock, fcntl.LOCK_UN)


@contextlib.contextmanager
def own_backup_if_free(backups: str | Path, name: str) -> Iterator[bool]:
    """Owns the backup and yields True; yields False if another process owns it.

    Raises:
      ConfigError: the lock file cannot be written or locked.
    """
    with _open_lock(backups, name) as lock:
        if not _try_lock(lock, backups):
            yield False
            return
        try:
            yield True
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)


def lock_path(backups: str | Path, name: str) -> Path:
    """Returns the lock file of the backup `name`; the file need not exist."""
    return _locks_directory(backups) / f"{name}.lock"


@contextlib.contextmanager
def _open_lock(backups: str | Path, name: str) -> Iterator[int]:
    path = lock_path(backups, name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # For writing: NFS gives exclusive locks only then.
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise _refuse(backups, "written", error) from None
    try:
        yield lock
    finally:
        os.close(lock)


def _locks_directory(backups: str | Path) -> Path:
    return Path(backups).with_name("locks")


def _wait_for(lock: int, backups: str | Path, work: str) -> None:
    deadline, is_first = time.monotonic() + PATIENCE_SECONDS, True
    while not _try_lock(lock, backups):
        owner = _read_note(lock)
        if time.monotonic() > deadline:
            raise ConfigError(
                f"{owner} is {work}",
                "wait until its run has ended, or end its run; a new run then takes the result "
                "from the cache, or continues from the last backup",
            )
        if is_first:
            seconds = f"{PATIENCE_SECONDS:g} s"
            logging.warning("%s is %s; waiting at most %s for its end", owner, work, seconds)
            is_first = False
        time.sleep(_POLL_SECONDS)


def _try_lock(lock: int, backups: str | Path) -> bool:
    try:
        return try_lock(lock)
    except OSError as error:
        raise _refuse(backups, "locked", error) from None


def _write_note(lock: int) -> None:
    """Writes who owns the lock, for messages of other runs."""
    pod = os.environ.get(POD_VARIABLE)
    who = f"pod {pod}" if pod else f"process {os.getpid()} on {socket.gethostname()}"
    since = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    # The lock holds without the note, for which a full disk may have no space.
    with contextlib.suppress(OSError):
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{who} (since {since})".encode(), 0)


def _read_note(lock: int) -> str:
    with contextlib.suppress(OSError):
        if note := os.pread(lock, _LONGEST_NOTE, 0).decode(errors="replace").strip():
            return note
    return "another run"


def _refuse(backups: str | Path, what: str, error: OSError) -> Exception:
    directory = _locks_directory(backups)
    if error.errno in DISK_FULL:
        return OSError(error.errno, error.strerror, str(directory))
    return ConfigError(
        f"{directory}: files cannot be {what}: {error.strerror}",
        "the volume of the backups needs a file system on which this user can write and lock",
    )
