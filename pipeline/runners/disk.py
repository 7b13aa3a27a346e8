"""A full disk, told in one sentence, whichever library ran into it."""

from __future__ import annotations

import errno
import shutil
import tempfile
from pathlib import Path

from pipeline.config import PipelineError

# Python and TensorFlow say the first, ML Metadata the second.
_WORDS = ("No space left on device", "database or disk is full")


def is_disk_full(error: BaseException | None) -> bool:
    """Whether a full disk is the error, or what it came from."""
    while error is not None:
        if getattr(error, "errno", None) == errno.ENOSPC or any(w in str(error) for w in _WORDS):
            return True
        error = error.__cause__ or error.__context__
    return False


def disk_full_error(*directories: str | Path) -> PipelineError:
    """The failure, naming the fullest of a run's directories and the one for temporary files."""
    places = [Path(directory) for directory in (*directories, tempfile.gettempdir())]
    full = min(filter(Path.exists, places), key=lambda place: shutil.disk_usage(place).free)
    return PipelineError(
        f"no space left on the device of {full}; free some, and run the same command again"
    )
