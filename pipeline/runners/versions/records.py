"""Finds the record of a version, also of a version that an earlier release pushed."""

from __future__ import annotations

from dataclasses import replace

from components.served_model.served_record import ServedRecord, parse_record
from components.served_model.version_records import find_version_record
from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import ConfigError
from pipeline.runners.history.graph import read_graph
from pipeline.runners.history.lineage.subject import list_versions
from pipeline.runners.workspace.database import open_metadata
from pipeline.runners.workspace.places import Workspace


def require_record(workspace: Workspace, version: str) -> ServedRecord:
    """Returns the record of a version.

    Raises:
      ConfigError: the version has no record (an earlier release kept none, or its files were
        removed), and its run was removed, too.
    """
    record = find_any_record(workspace, version)
    if record is None:
        raise ConfigError(
            f"version {version} cannot become the served version: its record is missing, and the "
            f"run that pushed it is not in {workspace.name}. The next run would have nothing to "
            "compare with",
            "name the --output of the run that pushed it, or choose a newer version",
        )
    return record


def find_any_record(workspace: Workspace, version: str) -> ServedRecord | None:
    """Returns the record of a version, from the serving directory or from the run that pushed it.

    None if neither has the record.
    """
    serving = str(workspace.serving)
    record = find_version_record(serving, version)
    # What the pointer says of its baseline lacks the baseline's own baseline; a run knows it.
    if record is None or not (record.reference or record.baseline):
        pushed = _read_pushed_record(workspace, version)
        if pushed and (record is None or record.push_key == pushed.push_key):
            record = replace(pushed, version=version)
    return record.with_directory(serving) if record else None


def _read_pushed_record(workspace: Workspace, version: str) -> ServedRecord | None:
    """Returns the record in the artifact that the push left in the workspace."""
    store = open_metadata(workspace.metadata)
    push = list_versions(read_graph(store)).get(version) if store else None
    place = workspace.find_artifact(push.uri) if push else None
    workspace.fetch([place] if place else [])
    path = place / ArtifactFile.SERVED_RECORD if place else None
    if path is None or not path.exists():
        return None
    return parse_record(path.read_text(encoding="utf-8"), str(path))
