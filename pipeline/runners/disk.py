"""A full disk, told in one sentence, whichever library ran into it."""

from __future__ import annotations

import errno
import shutil
import tempfile
from pathlib import Path

from pipeline.config import ConfigError, DataError, PipelineError

_NUMBERS = (errno.ENOSPC, errno.EDQUOT)
# Python and TensorFlow say the first two, ML Metadata the third.
_WORDS = ("No space left on device", "Disk quota exceeded", "database or disk is full")


def is_disk_full(error: BaseException | None) -> bool:
    """Whether a full disk is the error, or what it came from."""
    full = False
    while error is not None:
        if isinstance(error, (ConfigError, DataError)):
            return False  # It may quote such words: from a cell of the table.
        full |= getattr(error, "errno", None) in _NUMBERS or any(w in str(error) for w in _WORDS)
        error = error.__cause__ or error.__context__
    return full


def disk_full_error(*directories: str | Path) -> PipelineError:
    """The failure, naming the fullest of a run's directories and the one for temporary files."""
    places = [Path(directory) for directory in (*directories, tempfile.gettempdir())]
    full = min(filter(Path.exists, places), key=lambda place: shutil.disk_usage(place).free)
    return PipelineError(
        f"no space left on the device of {full}; free some, and run the same command again"
    )
