"""Makes the copy of a serving directory agree with its store."""

from __future__ import annotations

import json
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

from components.served_model.lock import hold_lock
from components.served_model.served_record import REFERENCE_DIRECTORY, parse_record
from components.served_model.store.local_copy import LocalCopy, Seen
from components.served_model.store.snapshot import Snapshot
from components.served_model.waiting import WAITING_DIRECTORY
from pipeline.core.contracts import ArtifactFile
from pipeline.core.stores.downloading import download
from pipeline.core.stores.remote import Remote

POINTER = ArtifactFile.SERVED_RECORD
THREADS = 8
"""Transfers at a time: a SavedModel has some ten files, of which one or two are large."""

_REMEDY = "roll back to another version, or push again"

Scope = Literal["served", "run"]
"""Which files are downloaded: of the served version, or of all that a run compares with."""


def refresh(directory: str, scope: Scope = "run", others: Collection[str] = ()) -> None:
    """Makes the copy in a directory agree with its store; does nothing for another directory.

    Args:
      others: versions whose files are downloaded, too, if they exist.

    Raises:
      ConfigError: the store refuses access, or its pointer is damaged.
      PipelineError: the store does not answer, or an object is damaged.
    """
    copy = LocalCopy.find(directory)
    if copy is not None:
        with hold_lock(directory):
            remote = Remote(copy.address)
            seen = synchronise(copy, remote, scope)
            download_versions(copy, remote, seen.snapshot, others)


def has_changed(copy: LocalCopy) -> bool:
    """Whether the store has another pointer than the copy."""
    seen = copy.read_seen()
    return seen is None or seen.condition != Remote(copy.address).read_condition(POINTER)


def synchronise(copy: LocalCopy, remote: Remote, scope: Scope = "run") -> Seen:
    """Makes the copy agree with the store, and returns what the store holds.

    The caller holds the lock of the copy.
    """
    seen = copy.read_seen()
    if seen is None:
        copy.discard_changes()
    if seen is None or seen.condition != remote.read_condition(POINTER):
        seen = read_store(remote)
    copy.begin_reset(seen.snapshot)
    download_versions(copy, remote, seen.snapshot, list_needed(seen.snapshot, scope))
    copy.end_reset(seen.snapshot)
    copy.write_seen(seen)
    return seen


def read_store(remote: Remote) -> Seen:
    """Returns what the store holds."""
    found = remote.read(POINTER)
    if found is None:
        return Seen(Snapshot(), {})
    return Seen(Snapshot.parse(found[0], f"{remote.address}/{POINTER}"), found[1])


def list_needed(snapshot: Snapshot, scope: Scope) -> Collection[str]:
    """Returns the versions whose files the copy must have."""
    source = f"{POINTER} of the store"
    record = parse_record(json.dumps(snapshot.pointer), source)
    if record is None:
        return ()
    return record.needed_versions() if scope == "run" else (record.version,)


def download_versions(
    copy: LocalCopy, remote: Remote, snapshot: Snapshot, numbers: Collection[str]
) -> None:
    """Downloads what the copy lacks of versions and candidates, schemas and statistics included."""
    units = [
        unit
        for number in numbers
        for unit in (number, f"{REFERENCE_DIRECTORY}/{number}", f"{WAITING_DIRECTORY}/{number}")
    ]
    for unit in units:
        missing = copy.list_missing(unit, snapshot)
        with ThreadPoolExecutor(THREADS) as pool:
            done = [
                pool.submit(
                    download, remote, path, copy.path(path), copy.staging_path(i), entry, _REMEDY
                )
                for i, (path, entry) in enumerate(sorted(missing.items()))
            ]
            for one in done:
                one.result()
