"""Which backups of trainings and searches stay.

They lie outside of artifacts, so nobody else removes them.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

_ABANDONED = 3
_HISTORY_FILE = "history.json"


def sweep_backups(directory: Path, published: Sequence[str]) -> None:
    """Removes those whose results have been published, and old ones.

    Those of other settings or data stay, the newest few: somebody who interrupted a long training
    to try something else may come back to it.
    """
    backups = [path for path in directory.glob("*") if path.is_dir() and path.name not in published]
    backups.sort(key=lambda path: path.stat().st_mtime)
    for path in (*(directory / name for name in published), *backups[:-_ABANDONED]):
        shutil.rmtree(path, ignore_errors=True)


def backup_of(model_run: Path) -> str:
    """The name of the backup of a trained model, whose history lies in `model_run`."""
    history = json.loads((model_run / _HISTORY_FILE).read_text(encoding="utf-8"))
    return str(history["backup"])
