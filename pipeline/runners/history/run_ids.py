"""Which run of ML Metadata belongs to which directory of logs."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime
from pathlib import Path

from pipeline.core.contracts import RunFile
from pipeline.core.events import EventReader, PipelineStarted
from pipeline.runners.workspace.database import open_metadata
from pipeline.runners.workspace.places import Workspace, parse_run_name


def find_run_id(workspace: Workspace, run: str) -> str | None:
    """Returns the id in ML Metadata of the run whose directory of logs has the name `run`.

    None if the run reached no component, or if the metadata file is not the file of that run.

    Raises:
      ConfigError: the metadata file cannot be used.
    """
    store = open_metadata(workspace.metadata)
    contexts = store.get_contexts_by_type("pipeline_run") if store else []
    return match_runs(workspace, {str(context.name) for context in contexts}).get(run)


def match_runs(workspace: Workspace, run_ids: Collection[str]) -> dict[str, str]:
    """Returns the id, among `run_ids`, of each run that has one, by the name of its directory.

    Runs of earlier versions did not note their id. TFX chose it: the local time at which the DAG
    began. The name of the directory is the local time shortly before. So the id lies between this
    name and the name of the next run; runs of a workspace never overlap.
    """
    directories = workspace.run_directories()
    noted = {path.name: run_id for path in directories if (run_id := _read_noted_id(path))}
    free = sorted((time, i) for i in {*run_ids} - {*noted.values()} if (time := parse_run_id(i)))
    starts = [parse_run_name(path.name) for path in directories]
    found = {}
    for path, start, end in zip(directories, starts, [*starts[1:], None], strict=True):
        between = (i for time, i in free if start and start <= time < (end or datetime.max))
        found[path.name] = noted.get(path.name) or next(between, None)
    return {run: run_id for run, run_id in found.items() if run_id in {*run_ids} and run_id}


def _read_noted_id(directory: Path) -> str | None:
    """Returns the id in the summary of the run, or in the events of a killed run."""
    try:
        summary = json.loads((directory / RunFile.SUMMARY).read_text(encoding="utf-8"))
        if summary.get("run_id"):
            return str(summary["run_id"])
    except (OSError, ValueError, AttributeError):
        pass  # The run was killed, or the summary is damaged.
    events = (envelope.event for envelope in EventReader(directory / RunFile.EVENTS).read())
    return next((e.run_id for e in events if isinstance(e, PipelineStarted)), None)


def parse_run_id(run_id: str) -> datetime | None:
    """Returns the local time in the id of a local run; None for an id of another form."""
    try:
        return datetime.fromisoformat(run_id).replace(tzinfo=None)
    except ValueError:
        return None
