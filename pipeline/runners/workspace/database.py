"""Checks and opens the SQLite file of ML Metadata without importing TensorFlow."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.core.error_causes import is_disk_full
from pipeline.core.errors import ConfigError
from pipeline.runners.workspace.half_written import remove_half_written

if TYPE_CHECKING:
    from ml_metadata import MetadataStore

DATABASE_HINT = (
    "move it away and run again: every component then runs again, and the served model stays"
)
"""What the user does about a file of metadata that is damaged, or that this version cannot read."""


def read_last_execution_id(path: Path) -> int:
    """Returns the highest id of an execution, 0 if there is none; removes half records before.

    The directories of an execution's artifacts have the execution's id as their name.

    Raises:
      ConfigError: the file is not a database, is damaged, or cannot be written.
      OSError: the disk is full.
    """
    if path.is_dir():
        raise ConfigError(
            f"{path}: is a directory, but must be the file of metadata of earlier runs",
            DATABASE_HINT,
        )
    if not path.exists() or path.stat().st_size == 0:
        return 0
    with _opened(path) as database:
        return _read_last_id(database)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Opens the file, and explains the errors of its use.

    It is opened for writing too: SQLite then rolls back the transaction of a killed run, which a
    reader could not.
    """
    try:
        with contextlib.closing(sqlite3.connect(path)) as database:
            yield database
    except sqlite3.DatabaseError as error:
        raise explain_error(path, error) from None


def explain_error(path: Path, error: Exception) -> Exception:
    """Returns the error to show: only for a damaged file is it right to move the file away."""
    if is_disk_full(error):
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    # sqlite3 raises this class for what the disk, the file's mode or another program causes.
    if isinstance(error, sqlite3.OperationalError):
        return ConfigError(
            f"{path}: cannot be read and written: {error}",
            "end other programs that use the file, and check its permissions and its disk",
        )
    return ConfigError(f"{path}: damaged: {error}", DATABASE_HINT)


def open_metadata(path: Path, *, for_writing: bool = False) -> MetadataStore | None:
    """Returns the metadata of earlier runs, without half records, or None if there is none.

    Raises:
      ConfigError: the file is not a database, cannot be read, or has the format of another version
        of MLMD.
      OSError: the disk is full.
    """
    if not path.exists():
        return None
    with _opened(path) as database:
        if not _has_executions(database):
            return None
        remove_half_written(database)
    # Imported here: most commands do not need it.
    from ml_metadata import MetadataStore
    from ml_metadata.proto import metadata_store_pb2 as mlmd

    config = mlmd.ConnectionConfig()
    config.sqlite.filename_uri = str(path)
    modes = mlmd.SqliteMetadataSourceConfig
    config.sqlite.connection_mode = modes.READWRITE if for_writing else modes.READONLY
    try:
        return MetadataStore(config)
    except RuntimeError as error:
        raise ConfigError(
            f"{path}: cannot be read: {str(error).strip()}",
            "the next run upgrades a file of an earlier version",
        ) from None


def _read_last_id(database: sqlite3.Connection) -> int:
    (check,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if check != "ok":
        raise sqlite3.DatabaseError(check)
    # This fails unless the file can be written.
    database.execute("BEGIN IMMEDIATE")
    database.rollback()
    if not _has_executions(database):
        return 0
    remove_half_written(database)
    return int(database.execute("SELECT coalesce(max(id), 0) FROM Execution").fetchone()[0])


def _has_executions(database: sqlite3.Connection) -> bool:
    table = "SELECT count(*) FROM sqlite_master WHERE name = 'Execution'"
    return bool(database.execute(table).fetchone() != (0,))
