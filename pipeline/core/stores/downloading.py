"""Downloads files that lie on a store, and checks their bytes."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from pipeline.core.errors import PipelineError
from pipeline.core.stores.entry import Entry
from pipeline.core.stores.remote import Remote

_ATTEMPTS = 3
"""Downloads of one file until its bytes are right."""


def download(remote: Remote, key: str, path: Path, staged: Path, entry: Entry, remedy: str) -> None:
    """Downloads a file, and puts it in its place when its bytes are right.

    Args:
      staged: the place of the file until its bytes are right.
      remedy: what the user can do about a wrong object.

    Raises:
      PipelineError: the object is lost, or its bytes are wrong each time.
    """
    for _ in range(_ATTEMPTS):
        if _write(remote, key, staged, entry.size) == entry:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.replace(staged, path)
            return
    raise PipelineError(
        f"{remote.address}/{key}: the object is not the one that was uploaded: its {entry.size:,} "
        f"bytes should have the SHA-256 {entry.sha256[:12]}...",
        f"somebody changed or cut the object; {remedy}",
    )


def _write(remote: Remote, key: str, staged: Path, size: int) -> Entry:
    hashed = hashlib.sha256()
    with staged.open("wb") as file:
        for block in remote.read_blocks(key, size):
            file.write(block)
            hashed.update(block)
        file.flush()
        os.fsync(file.fileno())
        return Entry(file.tell(), hashed.hexdigest())
