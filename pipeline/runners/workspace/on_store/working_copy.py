"""WorkingCopy: the directory on this machine in which runs of an output on a store work.

An artifact that was not downloaded is an empty directory, or one with some of its files: what its
directory should hold stands in the manifest.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.core.files import STAGED_SUFFIX, staged_name, write_text_atomically
from pipeline.core.stores.copy_record import CopyRecord, Known
from pipeline.core.stores.entry import Entry
from pipeline.runners.workspace.on_store.manifest import Manifest

_OWN = ".output-store"
"""The directory in the working copy with what this machine knows of the store."""
_ABANDONED_SECONDS = 3600
"""Age of a staged file that no process writes any more."""


@dataclass(frozen=True)
class Base:
    """The manifest that the working copy was made from, and the object's version."""

    manifest: Manifest
    condition: dict[str, str]
    """What a conditional put asks for; empty if there is no object yet."""


@dataclass(frozen=True)
class WorkingCopy:
    """A directory on this machine; the caller holds its lock when a method changes it."""

    root: Path
    address: str

    @classmethod
    def find(cls, root: Path) -> WorkingCopy | None:
        """Returns the working copy in a directory; None if the directory is none.

        A copy of a working copy is none: the metadata names artifacts of the original.
        """
        try:
            content = json.loads((root / _OWN / "address.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return None
        return cls(root, content["address"]) if content["root"] == str(root) else None

    @classmethod
    def open(cls, address: str) -> WorkingCopy:
        """Returns the working copy of an address, which is made if there is none."""
        # Imported here: most commands need no client of object stores.
        from pipeline.core.stores.cache import find_cache

        root = find_cache("run-outputs", address).absolute()
        (root / _OWN).mkdir(parents=True, exist_ok=True)
        if cls.find(root) is None:
            content = json.dumps({"address": address, "root": str(root)})
            write_text_atomically(root / _OWN / "address.json", content, durable=True)
        return cls(root, address)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Waits until no other process makes the working copy as the store is."""
        with (self.root / _OWN / ".lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def read_base(self) -> Base | None:
        """Returns what the working copy was made from; None if it must be made anew."""
        return self._parse(self._record.read())

    def read_base_in_use(self) -> Base | None:
        """Returns what the working copy was made from, also while it is being made."""
        return self._parse(self._record.read_in_use())

    def _parse(self, known: Known | None) -> Base | None:
        if known is None:
            return None
        return Base(Manifest.parse(known.snapshot.encode(), self.address), known.condition)

    def write_base(self, base: Base) -> None:
        """Puts on record that the working copy was made from the manifest, and is whole."""
        self._record.write(Known(base.manifest.to_bytes().decode(), base.condition))

    def mark_dirty(self) -> None:
        """Puts on record that the working copy is being made, for the case of a kill."""
        self._record.mark_dirty()

    @property
    def _record(self) -> CopyRecord:
        return CopyRecord(self.root / _OWN)

    def staging_path(self, name: str) -> Path:
        """Returns a place for a file that is not whole yet, another one at each call."""
        return self.root / _OWN / staged_name(name)

    def sweep_staged(self) -> None:
        """Removes the staged files of killed processes."""
        oldest = time.time() - _ABANDONED_SECONDS
        for path in (self.root / _OWN).glob(f".*{STAGED_SUFFIX}"):
            # Another command may fetch artifacts meanwhile.
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_mtime < oldest:
                    path.unlink()

    def lacks(self, path: str, entry: Entry) -> bool:
        """Whether a file of an artifact must be downloaded: such files never change."""
        try:
            return (self.root / path).stat().st_size != entry.size
        except FileNotFoundError:
            return True
