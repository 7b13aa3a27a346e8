"""Deletes artifacts so that a kill at any moment leaves nothing that a later run trips over.

An artifact is first marked as deleted in the metadata, then its directory is removed. TFX's cache
takes no artifact with that mark. Between the two steps a directory lies there that nothing uses;
the next run or the next `gc` removes it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ml_metadata import MetadataStore

REMOVED_PREFIX = ".removed-"
"""Begins the name of a run's directory of logs that is being removed."""


def mark_deleted(store: MetadataStore, artifacts: Collection[int]) -> None:
    """Marks the artifacts with these ids as deleted, all or none."""
    from ml_metadata.proto import metadata_store_pb2 as mlmd

    found = store.get_artifacts_by_id([*artifacts])
    for artifact in found:
        artifact.state = mlmd.Artifact.DELETED
    store.put_artifacts(found)


def sweep_deleted(store: MetadataStore, artifacts: Path) -> None:
    """Removes the directories of deleted artifacts below the directory `artifacts`.

    The caller must hold the lock of the output directory.
    """
    from ml_metadata.proto import metadata_store_pb2 as mlmd

    found = store.get_artifacts()
    used = {a.uri for a in found if a.state != mlmd.Artifact.DELETED}
    for uri in {str(artifact.uri) for artifact in found} - used:
        if artifacts in Path(uri).parents and os.path.isdir(uri):
            shutil.rmtree(uri, ignore_errors=True)


def remove_logs(directory: Path) -> None:
    """Removes the directory of logs of a run; `runs` lists the run whole or not at all."""
    removed = directory.with_name(f"{REMOVED_PREFIX}{directory.name}")
    directory.rename(removed)
    shutil.rmtree(removed)


def measure(path: Path) -> int:
    """Returns the bytes that a file or a directory occupies on the disk, 0 if it does not exist."""
    entries = [path, *(Path(top, n) for top, dirs, files in os.walk(path) for n in dirs + files)]
    return sum(_allocated(entry) for entry in entries)


def _allocated(path: Path) -> int:
    try:
        return path.lstat().st_blocks * 512
    except FileNotFoundError:
        return 0
