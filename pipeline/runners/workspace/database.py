"""The file of ML Metadata, looked at before TensorFlow is loaded: damaged, or whole and how old."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from pipeline.core.errors import ConfigError

_ANEW = "move it away and run again: the work is done anew, and what is served stays"


def last_execution(path: Path) -> int:
    """The last number that was handed out to an execution, and so to its artifacts' directories.

    Raises:
      ConfigError: the file is not a database, is damaged, or cannot be written.
    """
    if path.is_dir():
        raise ConfigError(f"{path}: is a directory, and not the metadata of earlier runs", _ANEW)
    if not path.exists() or path.stat().st_size == 0:
        return 0
    try:
        # Not opened for reading only: what a killed run left unfinished is undone here.
        with contextlib.closing(sqlite3.connect(path)) as database:
            return _inspect(database)
    except sqlite3.DatabaseError as error:
        raise ConfigError(f"{path}: damaged, or not to be written: {error}", _ANEW) from None


def _inspect(database: sqlite3.Connection) -> int:
    (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(found)
    database.execute("BEGIN IMMEDIATE")
    database.rollback()
    known = "SELECT count(*) FROM sqlite_master WHERE name = 'Execution'"
    if database.execute(known).fetchone() == (0,):
        return 0
    return int(database.execute("SELECT coalesce(max(id), 0) FROM Execution").fetchone()[0])
