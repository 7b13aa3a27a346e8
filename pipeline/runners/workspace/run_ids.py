"""Which run of ML Metadata belongs to which directory of logs.

A run notes its id. Runs of earlier versions did not: TFX chose their ids, the local time at which
the DAG began. The name of the directory is the local time shortly before.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from datetime import datetime, timedelta
from pathlib import Path

from pipeline.runners.workspace.past_summary import read_summary
from pipeline.runners.workspace.places import Workspace, parse_run_name

_LONGEST_START = timedelta(minutes=10)
"""How long a run may take from its directory's name to its id, if it noted no id. Importing
TensorFlow takes most of that time: 4 s, and 40 s on a busy machine."""


def match_runs(workspace: Workspace, run_ids: Collection[str]) -> dict[str, str]:
    """Returns the id, among `run_ids`, of each run that has one, by the name of its directory.

    The id of a run that noted none is the first one between the name of its directory and the name
    of the next run; runs of a workspace never overlap.
    """
    directories = workspace.run_directories()
    noted = {path.name: run_id for path in directories if (run_id := _read_noted_id(path))}
    free = sorted((time, i) for i in {*run_ids} - {*noted.values()} if (time := parse_run_id(i)))
    starts = [parse_run_name(path.name) for path in directories]
    found = {}
    for path, start, end in zip(directories, starts, [*starts[1:], None], strict=True):
        latest = min(start + _LONGEST_START, end or datetime.max) if start else None
        between = (i for time, i in free if start and latest and start <= time < latest)
        found[path.name] = noted.get(path.name) or next(between, None)
    return {run: run_id for run, run_id in found.items() if run_id in {*run_ids} and run_id}


def find_run_names(workspace: Workspace, run_ids: Collection[str]) -> dict[str, str]:
    """Returns the names of the runs with these ids, by id; runs without logs are left out."""
    near = {run_id: name for run_id in run_ids if (name := _find_near(workspace, run_id))}
    # Only clocks that were set back, earlier versions and removed logs need the other directories.
    others = {*run_ids} - {*near}
    matched = match_runs(workspace, others) if others else {}
    return near | {run_id: name for name, run_id in matched.items()}


def _find_near(workspace: Workspace, run_id: str) -> str | None:
    """Returns the name of the last run before the id's time, if that run noted the id."""
    chosen = parse_run_id(run_id)
    names = [path.name for path in workspace.run_directories()] if chosen else []
    times = [(time, name) for name in names if (time := parse_run_name(name))]
    position = bisect_right(times, (chosen or datetime.max, chr(0x10FFFF)))
    if position == 0:
        return None
    name = times[position - 1][1]
    return name if _read_noted_id(workspace.logs / name) == run_id else None


def _read_noted_id(directory: Path) -> str | None:
    """Returns the id in the summary of the run, or in the events of a killed run."""
    return read_summary(directory).summary.run_id


def parse_run_id(run_id: str) -> datetime | None:
    """Returns the local time in the id of a local run; None for an id of another form."""
    try:
        return datetime.fromisoformat(run_id).replace(tzinfo=None)
    except ValueError:
        return None
