"""A full disk, told in one sentence, whichever library ran into it."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from pipeline.core.error_causes import DISK_FULL, comes_from
from pipeline.core.errors import PipelineError


def is_disk_full(error: BaseException | None) -> bool:
    """Whether a full disk is the error, or what it came from."""
    # The words are ML Metadata's.
    return comes_from(error, DISK_FULL, ["database or disk is full"])


def disk_full_error(*directories: str | Path) -> PipelineError:
    """The failure, naming the fullest of a run's directories and the one for temporary files."""
    places = [Path(directory) for directory in (*directories, tempfile.gettempdir())]
    full = min(filter(Path.exists, places), key=lambda place: shutil.disk_usage(place).free)
    return PipelineError(
        f"no space left on the device of {full}; free some, and run the same command again"
    )
