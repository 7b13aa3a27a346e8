"""Uploads what runs made in a working copy."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from pipeline.core.errors import PipelineError
from pipeline.core.stores.entry import Entry
from pipeline.core.stores.lease import refuse_lost
from pipeline.core.stores.remote import LostRaceError, Remote
from pipeline.core.stores.waiting import map_requests
from pipeline.runners.workspace.database import explain_error
from pipeline.runners.workspace.on_store.downloading import AT_ONCE
from pipeline.runners.workspace.on_store.local_files import list_files, list_files_of, list_units
from pipeline.runners.workspace.on_store.manifest import (
    MANIFEST,
    METADATA,
    OBJECTS,
    Manifest,
    find_unit,
    is_backup,
    key_of,
)
from pipeline.runners.workspace.on_store.recorded import list_deleted, list_live
from pipeline.runners.workspace.on_store.working_copy import Base, WorkingCopy
from pipeline.runners.workspace.snapshot import copy_metadata


class Uploader:
    """Uploads the state of one working copy, again and again; threads wait for each other."""

    def __init__(self, copy: WorkingCopy, remote: Remote, serving: str) -> None:
        self._copy = copy
        self._remote = remote
        self._serving = serving
        self._lock = threading.Lock()
        self._tokens: set[str] = set()
        """Those of the manifests that this object has put, perhaps with a lost answer."""
        self._known: dict[str, tuple[tuple[int, int], Entry]] = {}
        """Size and time of change of each file that was read, with its entry."""

    def upload(self, *, is_at_work: bool) -> None:
        """Uploads what changed, and replaces the manifest if anything has.

        Args:
          is_at_work: whether a run is changing files. Backups of a training then stay on the store
            as they are: a copy of one that is being written would be torn.

        Raises:
          LostLeaseError: another run has taken the output over.
          PipelineError: the store does not answer, or refuses.
          OSError: a file vanished, or cannot be read.
        """
        with self._lock, self._metadata_at_rest() as metadata:
            base = self._copy.read_base() or Base(Manifest(), {})
            manifest = self._scan(base.manifest, metadata, is_at_work)
            if manifest.has_same_content(base.manifest):
                return
            self._upload_files(base.manifest, manifest, metadata)
            condition = self._replace_manifest(manifest, base.condition)
            self._copy.write_base(Base(manifest, condition))
            self._remote.remove(sorted(base.manifest.keys() - manifest.keys()))

    @contextlib.contextmanager
    def _metadata_at_rest(self) -> Iterator[Path | None]:
        """Yields a copy of the metadata that no run changes; None if there is no metadata."""
        metadata, copy = self._copy.root / METADATA, self._copy.staging_path(METADATA)
        if not metadata.exists():
            yield None
            return
        try:
            copy_metadata(metadata, copy)
            yield copy
        except sqlite3.DatabaseError as error:
            raise explain_error(metadata, error) from error
        finally:
            copy.unlink(missing_ok=True)

    def _scan(self, base: Manifest, metadata: Path | None, is_at_work: bool) -> Manifest:
        root, units = self._copy.root, set(base.units)
        if metadata:
            # Opening it rolls back what a killed run had not committed, before it is hashed.
            units |= list_units(root) & list_live(metadata)
            # That a directory is absent is no evidence: somebody may have cleaned the disk.
            units -= list_deleted(metadata)
        files = {path: one for path, one in base.files.items() if find_unit(path) in units}
        new = {path for unit in units - base.units for path in list_files_of(root, unit)}
        for path in {*new, *list_files(root)} - {METADATA}:
            if not (is_at_work and is_backup(path)):
                files[path] = self._read_entry(root / path)
        if is_at_work:
            files |= {path: one for path, one in base.files.items() if is_backup(path)}
        if metadata:
            files[METADATA] = Entry.of(metadata)
        return Manifest(files, frozenset(units), self._serving, str(root)).with_new_token()

    def _read_entry(self, path: Path) -> Entry:
        status = os.stat(path)
        now = (status.st_size, status.st_mtime_ns)
        known = self._known.get(str(path))
        if known is None or known[0] != now:
            known = self._known[str(path)] = (now, Entry.of(path))
        return known[1]

    def _upload_files(self, base: Manifest, manifest: Manifest, metadata: Path | None) -> None:
        changed = {p: one for p, one in manifest.files.items() if base.files.get(p) != one}
        places: dict[str, Path] = {path: self._copy.root / path for path in changed}
        if metadata and METADATA in places:
            places[METADATA] = metadata
        jobs = {key_of(path, entry): places[path] for path, entry in sorted(changed.items())}
        for _ in map_requests(partial(_upload_one, self._remote), jobs.items(), AT_ONCE):
            pass

    def _replace_manifest(self, manifest: Manifest, condition: dict[str, str]) -> dict[str, str]:
        """Puts the manifest, and returns the condition of the next put."""
        refuse_lost(self._remote.address)
        self._tokens.add(manifest.token)
        try:
            return self._remote.put_if(MANIFEST, manifest.to_bytes(), condition)
        except LostRaceError:
            # A put whose answer was lost was repeated by the client, or is that of another upload.
            found = self._remote.read(MANIFEST)
            source = f"{self._remote.address}/{MANIFEST}"
            token = Manifest.parse(found[0], source).token if found else ""
            if found is None or token not in self._tokens:
                raise PipelineError(
                    f"{source}: somebody else replaced the object during the run",
                    "repeat the command: it begins with what the store holds now",
                ) from None
        if token == manifest.token:
            return found[1]
        return self._replace_manifest(manifest, found[1])


def sweep(remote: Remote, manifest: Manifest) -> None:
    """Removes objects that a killed run uploaded, and that the manifest does not list."""
    known = manifest.keys()
    remote.remove([one.key for one in remote.list(OBJECTS) if one.key not in known])


def _upload_one(remote: Remote, job: tuple[str, Path]) -> None:
    key, place = job
    remote.upload(place, key)
