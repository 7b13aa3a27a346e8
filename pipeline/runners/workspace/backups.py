"""Removes the backups of trainings and searches that nobody needs any more.

Backups lie outside of the artifacts, so TFX does not remove them.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from pipeline.core.contracts import ArtifactFile
from pipeline.core.ownership import own_backup_if_free

_ABANDONED = 3
"""How many unpublished backups stay, however old: each is as large as a model and its optimizer."""
_AT_WORK_SECONDS = 86_400
"""A backup that changed in the last day may belong to another run on Kubeflow that still trains, or
that will be retried."""
_MARK = "published"


def sweep_backups(directory: Path, published: Sequence[str]) -> None:
    """Removes the backups named in `published`, and all old backups but the newest three.

    A user may interrupt a long training, try other settings or data, and come back to it: so the
    newest backups stay. A backup that another run owns stays too, although it is published: two
    runs may train the same model one after the other.

    Raises:
      ConfigError: a backup is to be removed, and its lock file cannot be written or locked.
    """
    others = {
        path: last_written(path)
        for path in directory.glob("*")
        if path.is_dir() and path.name not in published
    }
    abandoned = sorted(others, key=others.__getitem__)[:-_ABANDONED]
    now = time.time()
    old = (path for path in abandoned if now - others[path] > _AT_WORK_SECONDS)
    for path in (*(directory / name for name in published), *old):
        with own_backup_if_free(directory, path.name) as is_owned:
            if is_owned:
                shutil.rmtree(path, ignore_errors=True)


def last_written(directory: Path) -> float:
    """Returns the time of the last added or removed file in or below the directory, in seconds."""
    times = [0.0]
    for folder, _, _ in os.walk(directory):
        # Another run's training may remove a folder meanwhile.
        with contextlib.suppress(FileNotFoundError):
            times.append(os.path.getmtime(folder))
    return max(times)


def mark_published(directory: Path, name: str) -> None:
    """Marks the backup for removal by the next run, which starts after the results are uploaded."""
    (directory / name).mkdir(parents=True, exist_ok=True)
    (directory / name / _MARK).touch()


def list_published(directory: Path) -> list[str]:
    """Returns the names of the backups that `mark_published` has marked."""
    return [mark.parent.name for mark in directory.glob(f"*/{_MARK}")]


def read_backup_name(model_run: Path) -> str:
    """Returns the name of a trained model's backup, from its `model_run` artifact."""
    history = json.loads((model_run / ArtifactFile.HISTORY).read_text(encoding="utf-8"))
    return str(history["backup"])
