"""Makes a working copy as the output on the store is."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Literal

from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.files import write_bytes_atomically
from pipeline.core.stores.downloading import download
from pipeline.core.stores.entry import Entry
from pipeline.core.stores.remote import Remote
from pipeline.core.stores.waiting import map_requests
from pipeline.runners.workspace.on_store.local_files import (
    list_files,
    list_units,
    remove_empty_directories,
)
from pipeline.runners.workspace.on_store.manifest import (
    MANIFEST,
    METADATA,
    REMEDY,
    Manifest,
    find_unit,
    is_backup,
    is_settled,
    key_of,
)
from pipeline.runners.workspace.on_store.working_copy import Base, WorkingCopy

Purpose = Literal["read", "run"]
"""A command that only reads needs no backups of trainings."""

_ATTEMPTS = 3
"""How often a reader begins anew because a run replaced the output meanwhile."""
AT_ONCE = 8
"""Transfers at a time: a SavedModel has some ten files, of which one or two are large."""


def check_out(copy: WorkingCopy, remote: Remote, purpose: Purpose = "run") -> Base:
    """Makes the working copy as the store is, without the files of artifacts.

    A working copy that was made from the state of the store keeps what a run could not upload, and
    gets back what somebody removed from the disk.

    Raises:
      ConfigError: the manifest is damaged, or was removed from the store.
      PipelineError: the store does not answer, or an object is damaged.
    """
    with copy.locked():
        for attempt in range(_ATTEMPTS):
            known = copy.read_base()
            base = _read_store(copy, remote, known)
            try:
                if known is not None and known.manifest.token == base.manifest.token:
                    _restore(copy, remote, base.manifest, purpose)
                else:
                    _make_anew(copy, remote, base, purpose)
                return base
            except PipelineError:
                # A run that ended meanwhile has removed objects of its former state.
                is_changed = remote.read_condition(MANIFEST) != base.condition
                if not is_changed or attempt == _ATTEMPTS - 1:
                    raise
    raise AssertionError("the loop returns or raises")


def _read_store(copy: WorkingCopy, remote: Remote, known: Base | None) -> Base:
    """Returns the state of the store, which is not read again if `known` is it."""
    if known is not None and known.condition == remote.read_condition(MANIFEST):
        return known
    found = remote.read(MANIFEST)
    if found is None:
        _refuse_lost(copy)
        return Base(Manifest(), {})
    base = Base(Manifest.parse(found[0], f"{remote.address}/{MANIFEST}"), found[1])
    if known is not None and known.manifest.token == base.manifest.token:
        # Some stores describe an object in more words than the put that made it.
        copy.write_base(base)
    return base


def _refuse_lost(copy: WorkingCopy) -> None:
    known = copy.read_base_in_use()
    if known is not None and known.manifest.token:
        raise ConfigError(
            f"{copy.address}/{MANIFEST} is gone, and with it the list of the files of all runs",
            "put a backup of the object in its place, such as its last state if the bucket keeps "
            f"versions; to begin anew, remove {copy.root}, or name another --output",
        )


def _restore(copy: WorkingCopy, remote: Remote, manifest: Manifest, purpose: Purpose) -> None:
    """Downloads what is missing: no file is missing because a run removed it."""
    wanted = _choose_files(manifest, purpose)
    absent = {path: one for path, one in wanted.items() if not (copy.root / path).exists()}
    download_files(copy, remote, absent)
    _make_units(copy, manifest)


def _make_anew(copy: WorkingCopy, remote: Remote, base: Base, purpose: Purpose) -> None:
    former = copy.read_base_in_use() or Base(Manifest(), {})
    copy.mark_dirty()
    _remove_others(copy, former.manifest, base.manifest)
    wanted = _choose_files(base.manifest, purpose)
    missing = {path: one for path, one in wanted.items() if not _has(copy, path, one)}
    download_files(copy, remote, missing)
    remove_empty_directories(copy.root)
    _make_units(copy, base.manifest)
    copy.write_base(base)


def _choose_files(manifest: Manifest, purpose: Purpose) -> dict[str, Entry]:
    """Returns the files outside of artifacts that a command needs."""
    return {
        path: one
        for path, one in manifest.files.items()
        if not find_unit(path) and (purpose == "run" or not is_backup(path))
    }


def _remove_others(copy: WorkingCopy, former: Manifest, manifest: Manifest) -> None:
    """Removes what the store does not have, and artifacts of which this machine has other bytes."""
    for path in list_files(copy.root) - set(manifest.files):
        (copy.root / path).unlink(missing_ok=True)
    # A journal of other metadata would change what is downloaded.
    Path(f"{copy.root / METADATA}-journal").unlink(missing_ok=True)
    before, now = former.group_by_unit(), manifest.group_by_unit()
    for unit in list_units(copy.root):
        if unit not in manifest.units or before.get(unit) != now.get(unit):
            shutil.rmtree(copy.root / unit)


def _make_units(copy: WorkingCopy, manifest: Manifest) -> None:
    for unit in manifest.units:
        (copy.root / unit).mkdir(parents=True, exist_ok=True)


def _has(copy: WorkingCopy, path: str, entry: Entry) -> bool:
    return not copy.lacks(path, entry) and Entry.of(copy.root / path) == entry


def download_files(copy: WorkingCopy, remote: Remote, files: Mapping[str, Entry]) -> None:
    """Downloads files to their places, several at a time.

    Raises:
      PipelineError: the store does not answer, or an object is damaged.
    """
    for _ in map_requests(partial(_download_one, copy, remote), sorted(files.items()), AT_ONCE):
        pass


def _download_one(copy: WorkingCopy, remote: Remote, file: tuple[str, Entry]) -> None:
    path, entry = file
    place = copy.root / path
    if is_settled(path):
        staged = copy.staging_path(place.name)
        download(remote, key_of(path, entry), place, staged, entry, REMEDY)
    elif (found := remote.read(path)) is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_bytes_atomically(place, found[0], durable=False)
