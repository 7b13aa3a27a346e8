"""CopyRecord: what a copy on this machine was made from, for all copies of what lies on a store."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from pipeline.core.files import write_text_atomically


@dataclass(frozen=True)
class Known:
    """The object that a copy was made from."""

    snapshot: str
    """The object's text; empty for none."""
    condition: dict[str, str]
    """What a conditional put of the object asks for; empty if there is no object yet."""


class CopyRecord:
    """The record in a directory of the copy; the caller holds the copy's lock when it writes."""

    def __init__(self, directory: Path) -> None:
        self._seen = directory / "seen.json"
        self._dirty = directory / "dirty"

    def read(self) -> Known | None:
        """Returns what the copy was made from; None if it must be made anew."""
        return None if self._dirty.exists() else self.read_in_use()

    def read_in_use(self) -> Known | None:
        """Returns what the copy was made from, also while it is being changed."""
        try:
            content = json.loads(self._seen.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return Known(content["snapshot"], content["condition"])

    def write(self, known: Known) -> None:
        """Puts on record that the copy agrees with the object."""
        content = {"condition": known.condition, "snapshot": known.snapshot}
        write_text_atomically(self._seen, json.dumps(content), durable=True)
        self._dirty.unlink(missing_ok=True)

    def mark_dirty(self) -> None:
        """Puts on record that somebody changes the copy, for the case of a kill."""
        write_text_atomically(self._dirty, "", durable=True)
