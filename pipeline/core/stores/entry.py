"""Entry: what tells whether a file on a store is the one that was uploaded."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

_READ_BYTES = 1 << 20


@dataclass(frozen=True)
class Entry:
    """One file that never changes."""

    size: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> Entry:
        """Returns the entry of a local file."""
        hashed = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_READ_BYTES):
                hashed.update(block)
        return cls(path.stat().st_size, hashed.hexdigest())
