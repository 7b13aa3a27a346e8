"""LocalCopy: the copy of a serving directory of a store on this machine.

A version in the copy may be an empty directory: it exists in the store, and its files are
downloaded when somebody needs them.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from components.served_model.store.snapshot import Snapshot, find_unit, is_text
from pipeline.core.contracts import ArtifactFile
from pipeline.core.files import write_text_atomically
from pipeline.core.stores.copy_record import CopyRecord, Known
from pipeline.core.stores.entry import Entry

_OWN = ".store"
"""The directory in the copy with what this machine knows of the store."""
_RESERVED = "reserved"
_STAYS = (
    _OWN, ".lock", ".push.lock", "models.config",
    ArtifactFile.SERVED_RECORD, ArtifactFile.PUSH_HISTORY,
)  # fmt: skip


@dataclass(frozen=True)
class Seen:
    """The snapshot that the copy was made from, and the object's version."""

    snapshot: Snapshot
    condition: dict[str, str]
    """What a conditional put asks for; empty if there is no object yet."""


class LocalCopy:
    """A directory on this machine; the caller holds its lock when a method changes it."""

    def __init__(self, directory: str, address: str) -> None:
        self.directory = directory
        self.address = address
        self._root = Path(directory)
        self._record = CopyRecord(self._own)

    @classmethod
    def find(cls, directory: str) -> LocalCopy | None:
        """Returns the copy in a directory; None if the directory is no copy of a store."""
        try:
            address = Path(directory, _OWN, "address").read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            return None
        return cls(directory, address)

    @classmethod
    def make(cls, directory: str, address: str) -> LocalCopy:
        """Returns the copy in a directory, which is made if there is none of this address."""
        found = cls.find(directory)
        if found is None or found.address != address:
            own = Path(directory, _OWN)
            shutil.rmtree(own, ignore_errors=True)
            own.mkdir(parents=True)
            write_text_atomically(own / "address", address, durable=True)
            found = cls(directory, address)
        return found

    def read_seen(self) -> Seen | None:
        """Returns what the copy was made from; None if it must be made anew."""
        return self._parse(self._record.read())

    def read_seen_in_use(self) -> Seen | None:
        """Returns what the copy was made from, also while it is being changed."""
        return self._parse(self._record.read_in_use())

    def _parse(self, known: Known | None) -> Seen | None:
        if known is None:
            return None
        text = known.snapshot
        snapshot = Snapshot.parse(text.encode(), self.address) if text else Snapshot()
        return Seen(snapshot, known.condition)

    def write_seen(self, seen: Seen) -> None:
        """Puts on record that the copy agrees with the snapshot."""
        text = seen.snapshot.to_bytes().decode() if seen.snapshot.token else ""
        self._record.write(Known(text, seen.condition))

    def mark_dirty(self) -> None:
        """Puts on record that somebody changes the copy, for the case of a kill."""
        self._record.mark_dirty()

    def write_reserved(self, numbers: Collection[str]) -> None:
        """Notes the numbers that no new version may take."""
        write_text_atomically(self._own / _RESERVED, "\n".join(numbers), durable=False)

    @property
    def _own(self) -> Path:
        return self._root / _OWN

    def path(self, name: str) -> Path:
        """Returns the place of a file or unit."""
        return self._root / name

    def staging_path(self, number: int) -> Path:
        """Returns a place for a file that is being downloaded, one for each number."""
        return self._own / f"download-{number}.part"

    def scan(self, base: Snapshot) -> Snapshot:
        """Returns the content of the copy, as a change of `base` that has no token.

        Files of a unit that `base` has are not read again: only whole units come and go.
        """
        texts: dict[str, str] = {}
        known = {unit for unit in base.units() if self.path(unit).is_dir()}
        files = {path: one for path, one in base.files.items() if find_unit(path) in known}
        for path in self._list_files():
            if is_text(path):
                texts[path] = self.path(path).read_text(encoding="utf-8")
            elif find_unit(path) and find_unit(path) not in known:
                files[path] = Entry.of(self.path(path))
        return Snapshot(self._read_pointer(), files, texts)

    def _list_files(self) -> Iterator[str]:
        for parent, _, names in os.walk(self._root):
            for name in names:
                yield os.path.relpath(os.path.join(parent, name), self._root)

    def _read_pointer(self) -> dict[str, Any]:
        try:
            text = self.path(ArtifactFile.SERVED_RECORD).read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        return dict(json.loads(text))

    def discard_changes(self) -> None:
        """Removes what a killed process added: another machine may have taken the same number."""
        seen = self.read_seen_in_use()
        self._remove_others(seen.snapshot.units() if seen else set())

    def begin_reset(self, snapshot: Snapshot) -> None:
        """Makes a place for all that the snapshot has; the pointer and its version stay."""
        for unit in snapshot.units():
            self.path(unit).mkdir(parents=True, exist_ok=True)
        for path, text in snapshot.texts.items():
            write_text_atomically(self.path(path), text, durable=True)

    def end_reset(self, snapshot: Snapshot) -> None:
        """Replaces the pointer, then removes all that the snapshot does not have.

        The caller has downloaded the version of the new pointer: a reader without the lock finds a
        whole version at each moment.
        """
        pointer = self.path(ArtifactFile.SERVED_RECORD)
        if not snapshot.pointer:
            pointer.unlink(missing_ok=True)
        elif self._read_pointer_or_none() != snapshot.pointer:
            text = json.dumps(snapshot.pointer, indent=1, sort_keys=True)
            write_text_atomically(pointer, text, durable=True)
        if ArtifactFile.PUSH_HISTORY not in snapshot.texts:
            self.path(ArtifactFile.PUSH_HISTORY).unlink(missing_ok=True)
        self._remove_others(snapshot.units())

    def _read_pointer_or_none(self) -> dict[str, Any] | None:
        try:
            return self._read_pointer()
        except ValueError:
            return None

    def _remove_others(self, units: set[str]) -> None:
        parents = {unit.split("/")[0] for unit in units if "/" in unit}
        kept = {*units, *parents, *_STAYS}
        for place in (self._root, *(self._root / parent for parent in parents)):
            for entry in place.iterdir() if place.is_dir() else ():
                if str(entry.relative_to(self._root)) not in kept:
                    shutil.rmtree(entry) if entry.is_dir() else entry.unlink(missing_ok=True)

    def list_missing(self, unit: str, snapshot: Snapshot) -> dict[str, Entry]:
        """Returns the files of a unit that must be downloaded."""
        return {
            path: one
            for path, one in snapshot.files_of(unit).items()
            if _size(self.path(path)) != one.size
        }


def list_reserved(directory: str) -> list[str]:
    """Returns the numbers that pushes on other machines have taken; none without a store."""
    try:
        return Path(directory, _OWN, _RESERVED).read_text(encoding="utf-8").split()
    except FileNotFoundError:
        return []


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None
