"""What the tests of outputs on stores do on a machine."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from object_store import Bucket
from recorded_workspace import MADE, RecordedWorkspace

from pipeline.runners.workspace.on_store.session import hold_output
from pipeline.runners.workspace.on_store.working_copy import WorkingCopy
from pipeline.runners.workspace.places import Workspace

ALL = tuple(MADE)


_latest: dict[str, dict[str, int]] = {}
"""The newest artifact of each type, by the address of the output."""


def record(copy: WorkingCopy) -> RecordedWorkspace:
    """Returns what records the next run in a working copy."""
    latest = _latest.setdefault(copy.address, {})
    workspace = Workspace(copy.root, copy.root / "serving")
    return RecordedWorkspace(copy.root, _runs=len(workspace.run_directories()), _latest=latest)


def run(address: str, *works: Sequence[str], serving: str = "") -> RecordedWorkspace:
    """Records runs in the output, one for each sequence of components that work."""
    copy = WorkingCopy.open(address)
    with hold_output(copy, serving):
        recorded = record(copy)
        for components in works:
            recorded.run(components)
    return recorded


def become_new_machine(caches: Path) -> None:
    """Forgets all that this machine knew of stores."""
    shutil.rmtree(caches)


def keys(bucket: Bucket, prefix: str = "runs/shop/") -> set[str]:
    """Returns the keys below the output, without the mark of its owner."""
    found = bucket.client.list_objects_v2(Bucket=bucket.name, Prefix=prefix).get("Contents", [])
    return {one["Key"].removeprefix(prefix) for one in found} - {".owner"}


def list_tree(root: Path) -> set[str]:
    """Returns the files of artifacts, logs and pages in a working copy."""
    paths = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return {path for path in paths if not path.startswith((".output-store", ".lock"))}
