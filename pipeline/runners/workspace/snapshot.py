"""Reads the metadata of a workspace from a copy, so that no reader disturbs a run at work."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from pipeline.core.errors import ConfigError
from pipeline.runners.workspace.database import DATABASE_HINT, explain_error

if TYPE_CHECKING:
    from ml_metadata import MetadataStore

_BUSY_SECONDS = 10
"""How long to wait for the writer: its transactions take milliseconds."""


@contextlib.contextmanager
def open_snapshot(metadata: Path) -> Iterator[MetadataStore | None]:
    """Yields the metadata as it is now, or None if there is no file.

    Changes of the copy are lost, and so the upgrade of an older file by MLMD is, too.

    Raises:
      ConfigError: the file is damaged, or has the format of a newer version of MLMD.
    """
    if not metadata.exists() or metadata.stat().st_size == 0:
        yield None
        return
    # Imported here, since most commands do not need it. It imports no TensorFlow.
    from ml_metadata import MetadataStore
    from ml_metadata.proto import metadata_store_pb2 as mlmd

    with tempfile.TemporaryDirectory(prefix="pipeline-") as directory:
        copy = Path(directory) / metadata.name
        config = mlmd.ConnectionConfig()
        config.sqlite.filename_uri = str(copy)
        try:
            copy_metadata(metadata, copy)
            store = MetadataStore(config, enable_upgrade_migration=True)
        except sqlite3.DatabaseError as error:
            raise explain_error(metadata, error) from error
        except RuntimeError as error:
            message = f"{metadata}: cannot be read: {str(error).strip()}"
            raise ConfigError(message, DATABASE_HINT) from error
        yield store


def copy_metadata(metadata: Path, copy: Path) -> None:
    """Copies the file as it is now, with the journal of a killed run if there is one.

    Whoever opens the copy then rolls back what the run had not committed.

    Raises:
      sqlite3.DatabaseError: the file is damaged, or its writer is busy for too long.
    """
    try:
        _back_up(metadata, copy)
    except sqlite3.OperationalError:
        # A killed run left its journal. Only a writer may roll back, so the copy does.
        copy.unlink(missing_ok=True)
        for suffix in ("", "-journal"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(f"{metadata}{suffix}", f"{copy}{suffix}")


def _back_up(metadata: Path, copy: Path) -> None:
    """Copies the database in one step, under a shared lock that lasts as long as the copy."""
    source = sqlite3.connect(
        f"file:{quote(str(metadata))}?mode=ro", uri=True, timeout=_BUSY_SECONDS
    )
    with contextlib.closing(source), contextlib.closing(sqlite3.connect(copy)) as target:
        source.backup(target)
