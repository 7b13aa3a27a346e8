"""Finds the run that the user names: by its name, a version, `served`, or a path."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from components.served_model.served_record import read_pointer_file
from pipeline.core.contracts import RunFile
from pipeline.core.errors import ConfigError
from pipeline.core.statuses import Status
from pipeline.runners.history.choice import open_output
from pipeline.runners.history.past_runs import list_runs
from pipeline.runners.reporting.choose import choose_run
from pipeline.runners.workspace.places import Workspace

SERVED = "served"
"""The name of the run that pushed the served model."""


@dataclass(frozen=True)
class ChosenRun:
    """A run, perhaps of another workspace."""

    asked: str
    workspace: Workspace
    name: str


def choose_side(workspace: Workspace, asked: str) -> ChosenRun:
    """Returns the run that the user named.

    Args:
      workspace: the place of runs and versions that are given without a path.
      asked: a run's name, a version's number, `served`, or the path of a run's logs, of a version,
        or of an output directory, which stands for its newest run.

    Raises:
      ConfigError: there is no such run.
    """
    if "/" in asked or asked == ".":
        return _choose_by_path(asked)
    if asked == SERVED:
        return ChosenRun(asked, workspace, _find_pusher(workspace, _read_served(workspace)))
    if asked.isdigit():
        return ChosenRun(asked, workspace, _find_pusher(workspace, asked))
    return ChosenRun(asked, workspace, choose_run(workspace, asked))


def _choose_by_path(asked: str) -> ChosenRun:
    path = Path(os.path.abspath(asked))
    if (path / "logs").is_dir():
        root = path
        name = choose_run(open_output(root), None)
    elif (path / RunFile.EVENTS).exists() or (path / RunFile.SUMMARY).exists():
        root, name = path.parents[1], path.name
    elif path.name.isdigit() and path.is_dir():
        # A serving directory may lie elsewhere: then only the configuration leads to its runs.
        root = path.parents[1]
        name = _find_pusher(open_output(root), path.name)
    else:
        raise ConfigError(
            f"{asked}: neither an output directory, nor the logs of a run, nor a served version",
            "such as runs/taxi, runs/taxi/logs/20260301-040000-000000 or runs/taxi/serving/1795",
        )
    return ChosenRun(asked, open_output(root), name)


def _read_served(workspace: Workspace) -> str:
    record = read_pointer_file(str(workspace.serving))
    if record is None:
        raise ConfigError(f"{workspace.serving}: no model is served")
    return record.version


def _find_pusher(workspace: Workspace, version: str) -> str:
    """Returns the run that pushed the version; runs that found it served already come later."""
    runs = [run for run in list_runs(workspace) if run.version == version]
    if not runs:
        known = dict.fromkeys(run.version for run in list_runs(workspace) if run.version)
        raise ConfigError(
            f"no run of {workspace.name} pushed version {version}",
            f"runs pushed {', '.join(known)}" if known else "no run pushed a version",
        )
    return next((run for run in runs if run.status != Status.UNCHANGED), runs[0]).run
