"""The runs that left a directory of logs in a workspace, for `runs`."""

from __future__ import annotations

import json
from pathlib import Path

from pipeline.core.contracts import RunFile
from pipeline.runners.workspace.places import Workspace


def list_runs(workspace: Workspace) -> list[tuple[object, ...]]:
    """Returns name, status, exit code and version of each run, the oldest run first.

    A run without a summary died, unless it is the newest run and the workspace is locked.
    """
    directories = sorted(path for path in workspace.logs.glob("*") if path.is_dir())
    return [
        (path.name, *_read_outcome(path / RunFile.SUMMARY, path == directories[-1], workspace))
        for path in directories
    ]


def _read_outcome(summary: Path, is_newest: bool, workspace: Workspace) -> tuple[object, ...]:
    """Returns status, exit code and version of the run with this summary."""
    if not summary.exists():
        return ("running" if is_newest and workspace.is_locked() else "died"), "", ""
    try:
        run = json.loads(summary.read_text(encoding="utf-8"))
        return run["status"], run["exit_code"], (run["pushed"] or "").rpartition("/")[2]
    except (ValueError, KeyError, TypeError):
        return "summary damaged", "", ""
