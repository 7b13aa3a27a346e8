"""Says once that a training starts from the beginning although another training left a backup.

A backup fits the code, the settings and the rows that it was made with. After an upgrade of this
project, an interrupted training therefore starts anew, and its old backup stays for a while.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from pipeline.core.events import OtherBackupFound, emit
from pipeline.core.files import write_text_atomically
from pipeline.core.ownership import lock_path, own_backup_if_free

_OF_SEARCHES = "search-"


def mention_other_backups(backups: str, name: str) -> None:
    """Sends an event if the training `name` has no backup, and another training left one.

    Each of the others is mentioned once; those with which another run trains are not.
    """
    root = Path(backups)
    # Beside the locks, since whatever lies beside the backups counts as a backup.
    note = lock_path(backups, name).with_name("mentioned")
    known = note.read_text(encoding="utf-8").split() if note.exists() else []
    others = [path for path in root.glob("*") if _is_left_by_training(path, name)]
    if (root / name).exists() or all(path.name in known for path in others):
        return
    newest = max(others, key=lambda path: path.stat().st_mtime)
    emit(OtherBackupFound(directory=str(newest)))
    # Without the note, the sentence comes once more.
    with contextlib.suppress(OSError):
        names = "\n".join(path.name for path in others)
        write_text_atomically(note, names, durable=False)


def _is_left_by_training(path: Path, name: str) -> bool:
    if path.name == name or path.name.startswith(_OF_SEARCHES) or not path.is_dir():
        return False
    with own_backup_if_free(path.parent, path.name) as is_free:
        return is_free and any(file.is_file() for file in path.rglob("*"))
