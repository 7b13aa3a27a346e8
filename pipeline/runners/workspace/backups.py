"""Which backups of trainings and searches stay.

They lie outside of artifacts, so nobody else removes them.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

_ABANDONED = 3
_AT_WORK_SECONDS = 86_400
"""How recently a training wrote its backup that may be at work: beside this run, on Kubeflow."""
_HISTORY_FILE = "history.json"
_MARK = "published"


def sweep_backups(directory: Path, published: Sequence[str]) -> None:
    """Removes those whose results have been published, and old ones.

    Those of other settings or data stay, the newest few: somebody who interrupted a long training
    to try something else may come back to it. So do all that may be of a training at work.
    """
    others = {
        path: _last_written(path)
        for path in directory.glob("*")
        if path.is_dir() and path.name not in published
    }
    abandoned = sorted(others, key=others.__getitem__)[:-_ABANDONED]
    now = time.time()
    old = (path for path in abandoned if now - others[path] > _AT_WORK_SECONDS)
    for path in (*(directory / name for name in published), *old):
        shutil.rmtree(path, ignore_errors=True)


def _last_written(directory: Path) -> float:
    """When a file was last added or removed, in the directory or below."""
    times = [0.0]
    for folder, _, _ in os.walk(directory):
        # A training beside this run may remove some meanwhile.
        with contextlib.suppress(FileNotFoundError):
            times.append(os.path.getmtime(folder))
    return max(times)


def mark_published(directory: Path, name: str) -> None:
    """Notes that nobody needs the backup any more, once what was made of it has been kept."""
    (directory / name).mkdir(parents=True, exist_ok=True)
    (directory / name / _MARK).touch()


def marked(directory: Path) -> list[str]:
    """The backups that `mark_published` was told of."""
    return [mark.parent.name for mark in directory.glob(f"*/{_MARK}")]


def backup_of(model_run: Path) -> str:
    """The name of the backup of a trained model, whose history lies in `model_run`."""
    history = json.loads((model_run / _HISTORY_FILE).read_text(encoding="utf-8"))
    return str(history["backup"])
