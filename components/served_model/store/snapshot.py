"""Snapshot: all that a serving directory on a store holds, at one moment.

The object `served.json` has a snapshot: the pointer as in a local file, and under the key `store`
the files. So one put changes the served version, the versions and their records together.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from components.served_model.served_record import REFERENCE_DIRECTORY
from components.served_model.waiting import CANDIDATE_FILE, WAITING_DIRECTORY
from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import ConfigError
from pipeline.core.stores.entry import Entry

_KEY = "store"
_FORMAT = 1


@dataclass(frozen=True)
class Snapshot:
    """The content of a serving directory; paths are relative to it."""

    pointer: Mapping[str, Any] = field(default_factory=dict)
    """The content of the pointer file; empty before the first push."""
    files: Mapping[str, Entry] = field(default_factory=dict)
    """The files of versions, of their schemas and statistics, and of candidates."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The small files that change, or that every copy needs: records, candidates, the history."""
    token: str = ""
    """Tells this snapshot from all others, also from one of equal content; empty for no object."""

    @classmethod
    def parse(cls, content: bytes, source: str) -> Snapshot:
        """Returns the snapshot in an object.

        Args:
          source: the address of the object, for the error message.

        Raises:
          ConfigError: the object is damaged, or of a later release.
        """
        try:
            pointer = json.loads(content)
            stored = pointer.pop(_KEY)
            if stored["format"] != _FORMAT:
                raise ValueError(f"its format is {stored['format']}")
            files = {path: Entry(*entry) for path, entry in stored["files"].items()}
            return cls(pointer, files, stored["texts"], stored["token"])
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ConfigError(
                f"{source}: damaged, or written by another release: {error}",
                "put an earlier version of the object in its place, if the bucket keeps versions",
            ) from None

    def with_new_token(self) -> Snapshot:
        """Returns the snapshot as one that nobody has published yet."""
        return Snapshot(self.pointer, self.files, self.texts, secrets.token_hex(16))

    def to_bytes(self) -> bytes:
        """Returns the content of the object."""
        stored = {
            "format": _FORMAT,
            "token": self.token,
            "files": {path: [one.size, one.sha256] for path, one in self.files.items()},
            "texts": dict(self.texts),
        }
        return json.dumps({**self.pointer, _KEY: stored}, indent=1, sort_keys=True).encode()

    def has_same_content(self, other: Snapshot) -> bool:
        """Whether both list the same files and the same pointer."""
        one, two = ((s.pointer, s.files, s.texts) for s in (self, other))
        return one == two

    def units(self) -> set[str]:
        """Returns the directories that come and go as a whole."""
        return {find_unit(path) for path in (*self.files, *self.texts)} - {""}

    def files_of(self, unit: str) -> dict[str, Entry]:
        """Returns the files of a unit that never change."""
        return {path: one for path, one in self.files.items() if find_unit(path) == unit}


def find_unit(path: str) -> str:
    """Returns the unit that a file belongs to: `17`, `.reference/17` or `.waiting/17`.

    Empty for a file that belongs to the whole directory, or to this machine alone.
    """
    first, *others = path.split("/")
    if first.isdigit() and others:
        return first
    if first in (REFERENCE_DIRECTORY, WAITING_DIRECTORY) and len(others) > 1:
        return f"{first}/{others[0]}" if others[0].isdigit() else ""
    return ""


def number_of(unit: str) -> str:
    """Returns the number of the version or candidate that a unit belongs to."""
    return unit.rpartition("/")[2]


def is_text(path: str) -> bool:
    """Whether a file is kept in the snapshot itself."""
    if path == ArtifactFile.PUSH_HISTORY:
        return True
    inside = path.removeprefix(f"{find_unit(path)}/")
    return (path.startswith(REFERENCE_DIRECTORY) and inside == ArtifactFile.SERVED_RECORD) or (
        path.startswith(WAITING_DIRECTORY) and inside == CANDIDATE_FILE
    )
