"""Uploads what runs made in a working copy."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from pipeline.core.errors import PipelineError
from pipeline.core.stores.entry import Entry
from pipeline.core.stores.lease import refuse_lost
from pipeline.core.stores.remote import LostRaceError, Remote
from pipeline.core.stores.waiting import map_requests
from pipeline.runners.workspace.database import explain_error
from pipeline.runners.workspace.on_store.local_files import list_files, list_files_of, list_units
from pipeline.runners.workspace.on_store.manifest import (
    MANIFEST,
    METADATA,
    OWN_DIRECTORIES,
    Manifest,
    find_unit,
    is_backup,
    key_of,
)
from pipeline.runners.workspace.on_store.working_copy import Base, WorkingCopy
from pipeline.runners.workspace.snapshot import copy_metadata

_AT_ONCE = 8
_FINISHED = "SELECT id FROM Execution WHERE last_known_state IN (3, 5)"
"""The ids of executions that are COMPLETE or CACHED, by the numbers of MLMD's format."""


class Uploader:
    """Uploads the state of one working copy, again and again."""

    def __init__(self, copy: WorkingCopy, remote: Remote, serving: str) -> None:
        self._copy = copy
        self._remote = remote
        self._serving = serving
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
        base = self._copy.read_base() or Base(Manifest(), {})
        with self._metadata_at_rest() as metadata:
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
        copy.unlink(missing_ok=True)
        try:
            copy_metadata(metadata, copy)
            yield copy
        except sqlite3.DatabaseError as error:
            raise explain_error(metadata, error) from error
        finally:
            copy.unlink(missing_ok=True)

    def _scan(self, base: Manifest, metadata: Path | None, is_at_work: bool) -> Manifest:
        root = self._copy.root
        # This also rolls back what a killed run had not committed, before the copy is hashed.
        finished = _list_finished(metadata) if metadata else set()
        units = {unit for unit in list_units(root) if unit.rpartition("/")[2] in finished}
        files = {path: one for path, one in base.files.items() if find_unit(path) in units}
        new = {p for unit in units - base.units for p in list_files_of(root, unit)}
        for path in {*new, *list_files(root)} - {METADATA}:
            if not (is_at_work and is_backup(path)):
                files[path] = self._read_entry(root / path)
        if is_at_work:
            files |= {path: one for path, one in base.files.items() if is_backup(path)}
        if metadata:
            files[METADATA] = Entry.of(metadata)
        return Manifest(files, frozenset(units), self._serving).with_new_token()

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
        jobs = ((places[path], key_of(path, entry)) for path, entry in sorted(changed.items()))
        for _ in map_requests(partial(_upload_one, self._remote), jobs, _AT_ONCE):
            pass

    def _replace_manifest(self, manifest: Manifest, condition: Mapping[str, str]) -> dict[str, str]:
        refuse_lost(self._remote.address)
        try:
            return self._remote.put_if(MANIFEST, manifest.to_bytes(), condition)
        except LostRaceError:
            # The client repeats a put whose answer was lost, and the store refuses the second one.
            found = self._remote.read(MANIFEST)
            source = f"{self._remote.address}/{MANIFEST}"
            if found is None or Manifest.parse(found[0], source).token != manifest.token:
                raise PipelineError(
                    f"{source}: somebody else replaced the object during the run",
                    "repeat the command: it begins with what the store holds now",
                ) from None
            return found[1]

    def sweep(self) -> None:
        """Removes objects that a killed run uploaded, and that no manifest lists."""
        base = self._copy.read_base()
        known = base.manifest.keys() if base else set()
        listed = (one.key for name in OWN_DIRECTORIES for one in self._remote.list(name))
        self._remote.remove([key for key in listed if key not in known])


def _upload_one(remote: Remote, job: tuple[Path, str]) -> None:
    place, key = job
    remote.upload(place, key)


def _list_finished(metadata: Path) -> set[str]:
    with contextlib.closing(sqlite3.connect(metadata)) as database:
        return {str(number) for (number,) in database.execute(_FINISHED)}
