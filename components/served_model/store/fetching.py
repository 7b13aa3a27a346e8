"""What commands need of a version that is not the served one, where the versions lie on a store.

For a directory that is no copy of a store, these functions do nothing and import no client.
"""

from __future__ import annotations

from components.served_model.store.local_copy import LocalCopy
from components.served_model.store.snapshot import Snapshot


def fetch_version(directory: str, number: str) -> None:
    """Downloads what the copy lacks of a version or candidate, with its schema and statistics.

    The caller holds the lock of the directory.

    Raises:
      PipelineError: the store does not answer, or an object is damaged.
    """
    copy = LocalCopy.find(directory)
    snapshot = _read_snapshot(copy)
    if copy is not None and snapshot is not None:
        from components.served_model.store.refreshing import download_versions
        from pipeline.core.stores.remote import Remote

        download_versions(copy, Remote(copy.address), snapshot, [number])


def measure_unit(directory: str, unit: str) -> int | None:
    """Returns the bytes of a version or candidate on the store; None without a store."""
    snapshot = _read_snapshot(LocalCopy.find(directory))
    if snapshot is None:
        return None
    return sum(entry.size for entry in snapshot.files_of(unit).values())


def _read_snapshot(copy: LocalCopy | None) -> Snapshot | None:
    seen = copy.read_seen_in_use() if copy else None
    return seen.snapshot if seen else None
