"""Makes a working copy as the output on the store is."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.files import write_bytes_atomically
from pipeline.core.stores.downloading import download
from pipeline.core.stores.entry import Entry
from pipeline.core.stores.remote import Remote
from pipeline.core.stores.waiting import map_requests
from pipeline.runners.workspace.on_store.local_files import list_files, list_units
from pipeline.runners.workspace.on_store.manifest import (
    MANIFEST,
    METADATA,
    Manifest,
    find_unit,
    is_settled,
    key_of,
)
from pipeline.runners.workspace.on_store.working_copy import Base, WorkingCopy

_ATTEMPTS = 3
"""How often a reader begins anew because a run replaced the output meanwhile."""
_AT_ONCE = 8
"""Files of an artifact: a SavedModel has some ten files, of which one or two are large."""
_REMEDY = (
    "put an earlier version of the object in its place, if the bucket keeps versions; or name "
    "another --output"
)


def check_out(copy: WorkingCopy, remote: Remote) -> Base:
    """Makes the working copy as the store is, without the files of artifacts.

    A working copy that was made from the state of the store stays as it is: it may hold what a
    run could not upload. The caller holds the lock of the working copy.

    Raises:
      ConfigError: the manifest is damaged, or was removed from the store.
      PipelineError: the store does not answer, or an object is damaged.
    """
    for attempt in range(_ATTEMPTS):
        base, condition = copy.read_base(), remote.read_condition(MANIFEST)
        if base is not None and base.condition == condition:
            return base
        try:
            return _make_anew(copy, remote)
        except PipelineError:
            # A run that ended meanwhile has removed objects of its former state.
            is_changed = remote.read_condition(MANIFEST) != condition
            if not is_changed or attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError("the loop returns or raises")


def _make_anew(copy: WorkingCopy, remote: Remote) -> Base:
    found = remote.read(MANIFEST)
    if found is None:
        _refuse_lost(copy)
        base = Base(Manifest(), {})
    else:
        base = Base(Manifest.parse(found[0], f"{remote.address}/{MANIFEST}"), found[1])
        copy.mark_dirty()
        _replace_files(copy, remote, base.manifest)
    copy.write_base(base)
    return base


def _refuse_lost(copy: WorkingCopy) -> None:
    if copy.read_base_in_use() not in (None, Base(Manifest(), {})):
        raise ConfigError(
            f"{copy.address}/{MANIFEST} is gone, and with it the list of the files of all runs",
            "put a backup of the object in its place, such as its last state if the bucket keeps "
            f"versions; to begin anew, remove {copy.root}, or name another --output",
        )


def _replace_files(copy: WorkingCopy, remote: Remote, manifest: Manifest) -> None:
    wanted = {path: one for path, one in manifest.files.items() if not find_unit(path)}
    for path in list_files(copy.root):
        if path not in wanted:
            (copy.root / path).unlink(missing_ok=True)
    # A journal of other metadata would change what is downloaded.
    Path(f"{copy.root / METADATA}-journal").unlink(missing_ok=True)
    missing = {path: one for path, one in wanted.items() if not _has(copy, path, one)}
    download_files(copy, remote, missing)
    for unit in list_units(copy.root) - manifest.units:
        shutil.rmtree(copy.root / unit)
    for unit in manifest.units:
        (copy.root / unit).mkdir(parents=True, exist_ok=True)


def _has(copy: WorkingCopy, path: str, entry: Entry) -> bool:
    return not copy.lacks(path, entry) and Entry.of(copy.root / path) == entry


def download_files(copy: WorkingCopy, remote: Remote, files: Mapping[str, Entry]) -> None:
    """Downloads files to their places, several at a time.

    Raises:
      PipelineError: the store does not answer, or an object is damaged.
    """
    named = ((number, *file) for number, file in enumerate(sorted(files.items())))
    for _ in map_requests(partial(_download_one, copy, remote), named, _AT_ONCE):
        pass


def _download_one(copy: WorkingCopy, remote: Remote, file: tuple[int, str, Entry]) -> None:
    number, path, entry = file
    place = copy.root / path
    if is_settled(path):
        staged = copy.staging_path(number)
        download(remote, key_of(path, entry), place, staged, entry, _REMEDY)
    elif (found := remote.read(path)) is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_bytes_atomically(place, found[0], durable=False)
