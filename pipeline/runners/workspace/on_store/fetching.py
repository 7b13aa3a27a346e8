"""Fetches artifacts of a working copy when they are needed.

For a directory that is no working copy, these functions do nothing and import no client.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from pipeline.runners.workspace.on_store.manifest import Manifest, find_unit, name_unit
from pipeline.runners.workspace.on_store.working_copy import WorkingCopy


def fetch(root: Path, directories: Collection[str | Path]) -> None:
    """Downloads what the working copy lacks of artifacts, whichever machine's paths name them.

    Raises:
      PipelineError: the store does not answer, or an object is damaged.
    """
    copy = WorkingCopy.find(root)
    manifest = _read_manifest(copy)
    if copy is None or manifest is None:
        return
    units = {name_unit(str(directory)) for directory in directories} - {""}
    files = manifest.files.items()
    missing = {p: one for p, one in files if find_unit(p) in units and copy.lacks(p, one)}
    if missing:
        from pipeline.core.stores.remote import Remote
        from pipeline.runners.workspace.on_store.downloading import download_files

        download_files(copy, Remote(copy.address), missing)


def list_stored(root: Path) -> set[str]:
    """Returns the directories of the artifacts that the store has, whatever is on the disk."""
    manifest = _read_manifest(WorkingCopy.find(root))
    return {str(root / unit) for unit in manifest.units} if manifest else set()


def _read_manifest(copy: WorkingCopy | None) -> Manifest | None:
    base = copy.read_base_in_use() if copy else None
    return base.manifest if base else None
