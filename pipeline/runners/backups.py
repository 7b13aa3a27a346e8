"""Which backups of trainings stay. They lie outside of artifacts, so nobody else removes them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

_ABANDONED = 3
_HISTORY_FILE = "history.json"


def sweep_backups(directory: Path, model_run: Path) -> None:
    """Removes the backup of a published model, whose history lies in `model_run`, and old ones.

    Those of other settings or data stay, the newest few: somebody who interrupted a long training
    to try something else may come back to it.
    """
    history = json.loads((model_run / _HISTORY_FILE).read_text(encoding="utf-8"))
    backups = [
        path for path in directory.glob("*") if path.is_dir() and path.name != history["backup"]
    ]
    backups.sort(key=lambda path: path.stat().st_mtime)
    for path in (directory / history["backup"], *backups[:-_ABANDONED]):
        shutil.rmtree(path, ignore_errors=True)
