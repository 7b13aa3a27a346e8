"""What the tests of several modules share."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], bool]:
    """Whether the disk was made to hold a file's content, or a directory's entries of now."""
    changed_at: dict[tuple[int, int], int] = {}
    real_fsync = os.fsync

    def fsync(descriptor: int) -> None:
        status = os.fstat(descriptor)
        changed_at[status.st_dev, status.st_ino] = status.st_mtime_ns
        real_fsync(descriptor)

    def is_synced(path: Path) -> bool:
        status = path.stat()
        return changed_at.get((status.st_dev, status.st_ino)) == status.st_mtime_ns

    monkeypatch.setattr(os, "fsync", fsync)
    return is_synced
