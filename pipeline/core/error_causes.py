"""Errors by what they came from, whichever library ran into it."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection

from pipeline.core.errors import ConfigError, DataError
from pipeline.core.text import words_of

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_OF_MACHINE = (
    *DISK_FULL,
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.EIO,
    errno.ESTALE,
    errno.EMFILE,
    errno.ENFILE,
)


def is_of_machine(error: BaseException) -> bool:
    """Whether a file could not be read or written, whatever its content.

    Not where memory ran out, or a file is not there: that may be for what was asked of the machine.
    """
    return comes_from(error, _OF_MACHINE)


def comes_from(
    error: BaseException | None, numbers: Collection[int], words: Collection[str] = ()
) -> bool:
    """Whether one of these numbers of the system, or a message with these words, is behind it."""
    # TensorFlow's errors have no number.
    known = (*map(os.strerror, numbers), *words)
    found = False
    while error is not None:
        if isinstance(error, (ConfigError, DataError)):
            return False  # It may quote such words: from a cell of the table.
        text = words_of(error)
        found |= getattr(error, "errno", None) in numbers or any(w in text for w in known)
        error = error.__cause__ or error.__context__
    return found
