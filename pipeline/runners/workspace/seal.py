"""A published artifact's files: on the disk before metadata says so, and all there afterwards."""

from __future__ import annotations

import json

from pipeline.core.files import file_sizes, has_files, sync_tree

PROPERTY = "files"
"""The custom property of an artifact that holds its seal."""


def seal(directory: str) -> str:
    """Waits until everything in the directory is on the disk; gives the files with their sizes."""
    sync_tree(directory)
    return json.dumps(file_sizes(directory), sort_keys=True)


def is_whole(directory: str, sealed: str | None) -> bool:
    """Whether no sealed file was lost or cut."""
    return has_files(directory, json.loads(sealed or "{}"))
