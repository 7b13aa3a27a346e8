"""Reads what is served at the time at which a page is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from components.served_model.changes import Change, list_whole_versions, read_changes
from components.served_model.served_record import read_pointer_file
from pipeline.core.contracts import RunFile
from pipeline.core.errors import ConfigError
from pipeline.report.content import ServedVersion
from pipeline.runners.workspace.past_summary import read_summary
from pipeline.runners.workspace.places import Workspace
from pipeline.runners.workspace.run_ids import find_run_names


def read_served(workspace: Workspace) -> ServedVersion | None:
    """Returns the served version; None if nothing is served, or if the pointer cannot be read."""
    found = read_serving_directory(str(workspace.serving))
    if found is None:
        return None
    served, last = found
    names = find_run_names(workspace, {served.run}) if served.run else {}
    candidate = last.candidate if last else ""
    run = next(iter(names.values()), None) or _find_pusher(workspace, served.version, candidate)
    has_page = run is not None and (workspace.logs / run / RunFile.REPORT).exists()
    return replace(served, run=run, has_page=has_page)


def read_serving_directory(serving: str) -> tuple[ServedVersion, Change | None] | None:
    """Returns what a serving directory alone tells: the served version and its last change.

    `run` is the id of the run, and no page is known. None if nothing is served, or if the directory
    cannot tell.
    """
    try:
        record = read_pointer_file(serving)
        if record is None:
            return None
        changes = read_changes(serving)
        existing = list_whole_versions(serving, record.version)
    except (ConfigError, OSError):
        return None
    last = changes.last(record.version)
    served = ServedVersion(
        version=record.version,
        since=last.at if last else "",
        run=last.run or None if last else None,
        has_page=False,
        baseline=record.baseline.version if record.baseline else None,
        earlier=changes.find_previous(existing),
    )
    return served, last


def _find_pusher(workspace: Workspace, version: str, candidate: str) -> str | None:
    """Returns the run that says it made the version; earlier versions noted no run."""
    for directory in reversed(workspace.run_directories()):
        summary = read_summary(directory).summary
        made = Path(summary.pushed or summary.waiting or "").name
        if made and made in (version, candidate) and not summary.is_unchanged:
            return directory.name
    return None
