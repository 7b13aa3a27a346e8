"""Which files of a working copy belong on the store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pipeline.core.files import is_staged
from pipeline.runners.workspace.deletion import REMOVED_PREFIX
from pipeline.runners.workspace.on_store.manifest import ARTIFACTS, BACKUPS, LOGS, METADATA

_NOTE = ".artifacts"
_PAGES = (".html", ".json")


def list_files(root: Path) -> set[str]:
    """Returns the files outside of artifacts, relative to `root`: metadata, logs, pages, backups.

    Locks, the serving directory, and files that are being written do not belong on the store.
    """
    top = {path.name for path in root.iterdir() if path.is_file() and _belongs(path.name)}
    return {*top, *_walk(root, LOGS), *_walk(root, BACKUPS)}


def _belongs(name: str) -> bool:
    return name in (METADATA, _NOTE) or (name.endswith(_PAGES) and not name.startswith("."))


def _walk(root: Path, directory: str) -> Iterator[str]:
    for parent, folders, names in os.walk(root / directory):
        folders[:] = [name for name in folders if not name.startswith(REMOVED_PREFIX)]
        for name in names:
            if not is_staged(name):
                yield Path(parent, name).relative_to(root).as_posix()


def remove_empty_directories(root: Path) -> None:
    """Removes directories of logs and backups without files: a run's directory counts as a run."""
    for name in (LOGS, BACKUPS):
        for parent, _, _ in os.walk(root / name, topdown=False):
            if not os.listdir(parent):
                os.rmdir(parent)


def list_units(root: Path) -> set[str]:
    """Returns the directories of artifacts, relative to `root`; without TFX's own, `.system`."""
    found = (root / ARTIFACTS).glob("*/*/[!.]*/*")
    return {path.relative_to(root).as_posix() for path in found if path.is_dir()}


def list_files_of(root: Path, unit: str) -> set[str]:
    """Returns the files of an artifact, relative to `root`."""
    return set(_walk(root, unit))
