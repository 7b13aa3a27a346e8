"""Which artifacts the metadata knows, read without the packages that write it."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from pipeline.runners.workspace.on_store.manifest import name_unit

_LIVE, _DELETED = 2, 4
"""States of artifacts, by the numbers of ML Metadata's format."""


def list_live(metadata: Path) -> set[str]:
    """Returns the directories of published artifacts, relative to the output directory."""
    return _list(metadata, _LIVE)


def list_deleted(metadata: Path) -> set[str]:
    """Returns the directories of removed artifacts, without those of other artifacts."""
    return _list(metadata, _DELETED) - _list(metadata, _LIVE)


def _list(metadata: Path, state: int) -> set[str]:
    with contextlib.closing(sqlite3.connect(metadata)) as database:
        rows = database.execute("SELECT uri FROM Artifact WHERE state = ?", (state,))
        return {name_unit(uri) for (uri,) in rows} - {""}
