"""A published artifact's files: on the disk before metadata says so, and all there afterwards."""

from __future__ import annotations

import json
import os
from pathlib import Path

from components.durable import sync_tree

PROPERTY = "files"
"""The custom property of an artifact that holds its seal."""


def seal(directory: str) -> str:
    """Waits until everything in the directory is on the disk; gives the files with their sizes."""
    sync_tree(directory)
    paths = sorted(path for path in Path(directory).rglob("*") if path.is_file())
    return json.dumps({os.path.relpath(path, directory): path.stat().st_size for path in paths})


def is_whole(directory: str, sealed: str | None) -> bool:
    """Whether no sealed file was lost or cut; files that came later do not matter."""
    if not os.path.exists(directory):
        return False
    sizes = json.loads(sealed or "{}")
    return all(_size(os.path.join(directory, name)) == size for name, size in sizes.items())


def _size(path: str) -> int | None:
    return os.path.getsize(path) if os.path.isfile(path) else None
