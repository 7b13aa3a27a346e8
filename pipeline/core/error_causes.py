"""What an error came from: the machine or its full disk, whichever library reported it."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Collection
from pathlib import Path

from pipeline.core.errors import ConfigError, DataError, PipelineError
from pipeline.core.text import message_of

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_MACHINE_ERRORS = (
    *DISK_FULL,
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.EIO,
    errno.ESTALE,
    errno.EMFILE,
    errno.ENFILE,
)
_METADATA_DISK_FULL = "database or disk is full"
"""What ML Metadata says; its errors have no errno."""
_METADATA_GIVEN_UP = "cannot commit - no transaction is active"
"""What ML Metadata says after SQLite has given up a transaction, whatever the reason."""


def is_machine_error(error: BaseException) -> bool:
    """Whether a file could not be read or written, whatever its content.

    False for a lack of memory and for a missing file: the request may have caused both.
    """
    return _has_cause(error, _MACHINE_ERRORS)


def is_disk_full(error: BaseException | None) -> bool:
    """Whether a full disk is the error, or its cause."""
    return _has_cause(error, DISK_FULL, [_METADATA_DISK_FULL])


def is_given_up(error: BaseException | None) -> bool:
    """Whether SQLite gave up a change of the metadata: mostly for a full disk, unsaid."""
    return _has_cause(error, (), [_METADATA_GIVEN_UP])


def disk_full_error(*directories: str | Path) -> PipelineError:
    """Returns an error that names the fullest device.

    Looked at are those of the directories that exist, and that of temporary files.
    """
    places = [Path(directory) for directory in (*directories, tempfile.gettempdir())]
    full = min(filter(Path.exists, places), key=lambda place: shutil.disk_usage(place).free)
    return PipelineError(
        f"no space left on the device of {full}; free some, and run the same command again"
    )


def _has_cause(
    error: BaseException | None, numbers: Collection[int], texts: Collection[str] = ()
) -> bool:
    """Whether the error, or one that it came from, has one of the errnos or texts."""
    # TensorFlow's errors have no errno, only the text that belongs to it.
    known = (*map(os.strerror, numbers), *texts)
    matches = False
    while error is not None:
        if isinstance(error, (ConfigError, DataError)):
            return False  # Its message may quote such a text from a cell of the table.
        message = message_of(error)
        matches |= getattr(error, "errno", None) in numbers or any(t in message for t in known)
        error = error.__cause__ or error.__context__
    return matches
