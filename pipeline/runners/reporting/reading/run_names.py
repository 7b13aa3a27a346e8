"""Which directory of logs belongs to which run of ML Metadata."""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime, timedelta
from pathlib import Path

from pipeline.core.contracts import RunFile
from pipeline.core.events import EventReader, PipelineStarted
from pipeline.runners.workspace.places import Workspace, parse_run_name

_LONGEST_START = timedelta(minutes=10)
"""How long a run may take from its directory's name to its id, if it noted no id. Importing
TensorFlow takes most of that time: 4 s, and 40 s on a busy machine."""


def find_run_name(workspace: Workspace, run_id: str) -> str | None:
    """Returns the name of the run with this id in ML Metadata; None if its logs were removed.

    Name and id are both the local time: the DAG of a run gets its id shortly after the run got its
    directory. So only one directory has to be opened, however many there are.
    """
    names = [path.name for path in workspace.run_directories()]
    try:
        chosen = datetime.fromisoformat(run_id)
    except ValueError:
        return None
    times = [(time, name) for name in names if (time := parse_run_name(name))]
    position = bisect_right([time for time, _ in times], chosen)
    if position == 0:
        return None
    time, name = times[position - 1]
    noted = _read_noted_id(workspace.logs / name)
    is_right = noted == run_id if noted else chosen - time < _LONGEST_START
    return name if is_right else None


def _read_noted_id(directory: Path) -> str | None:
    """Returns the id in the run's events; None if an earlier version ran, or before the DAG."""
    events = (envelope.event for envelope in EventReader(directory / RunFile.EVENTS).read())
    return next((e.run_id for e in events if isinstance(e, PipelineStarted)), None)
