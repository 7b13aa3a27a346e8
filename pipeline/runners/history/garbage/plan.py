"""Decides which runs may go, and what goes with them."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pipeline.runners.history.garbage.served import Served
from pipeline.runners.history.graph import Execution, Graph
from pipeline.runners.workspace.backups import last_written
from pipeline.runners.workspace.deletion import measure
from pipeline.runners.workspace.places import Workspace, parse_run_name
from pipeline.runners.workspace.run_ids import match_runs, parse_run_id

NEWEST = "is one of the newest"
"""Why most runs stay."""


@dataclass(frozen=True)
class Run:
    """One run of the workspace."""

    name: str
    """The name of its directory of logs; without one, its id in ML Metadata."""
    started: datetime
    """Local time, without a time zone."""
    logs: Path | None
    executions: tuple[Execution, ...]
    """Empty for a run that ended before its first component."""


@dataclass(frozen=True)
class OldRun:
    """A run that goes, with all that only runs that go have used."""

    run: Run
    artifacts: tuple[int, ...]
    """The ids of the artifacts that the run made and that are to be marked as deleted."""
    directories: tuple[Path, ...]
    """Directories of artifacts, also of those that a killed `gc` has marked, and of TFX."""
    backups: tuple[Path, ...]
    """The backups that the run was the last one to write."""
    comparisons: tuple[Path, ...] = ()
    """Files of pages in the output directory that compare the run with another one."""

    @property
    def is_empty(self) -> bool:
        """Whether the run was removed before, and only the metadata knows it."""
        return not (self.run.logs or self.artifacts or self.directories or self.backups)

    def measure(self) -> int:
        """Returns the bytes that all of it occupies on the disk, logs included."""
        logs = [self.run.logs] if self.run.logs else []
        return sum(map(measure, (*self.directories, *self.backups, *self.comparisons, *logs)))


@dataclass(frozen=True)
class Plan:
    """What `gc` would do."""

    old: tuple[OldRun, ...]
    """The oldest run first."""
    kept: Mapping[str, str]
    """Why each other run stays, by the run's name, the oldest run first."""
    unknown: tuple[Path, ...]
    """Directories of artifacts that belong to other metadata than today's; they stay."""


def make_plan(workspace: Workspace, graph: Graph, keep: int) -> Plan:
    """Returns which runs go if the newest `keep` stay.

    Older runs stay if they are unfinished, or if a version that they made lies in the serving
    directory. What a run that stays has taken from the cache stays, whichever run made it.

    Raises:
      ConfigError: the pointer to the served model is damaged, or cannot be read.
    """
    runs, served = list_all_runs(workspace, graph), Served(workspace, graph)
    newest = {run.name for run in runs[-keep:]}
    reasons = {run.name: _explain(run, served, run.name in newest) for run in runs}
    kept = {name: reason for name, reason in reasons.items() if reason}
    staying = (e for run in runs if run.name in kept for e in run.executions)
    needed = served.artifacts | {a for e in staying for a in (*e.inputs, *e.outputs)}
    backups = _match_backups(workspace, runs)
    going = (run for run in runs if run.name not in kept)
    old = (_collect(run, workspace, graph, needed, backups[run.name]) for run in going)
    return Plan(tuple(o for o in old if not o.is_empty), kept, _find_unknown(workspace, graph))


def list_all_runs(workspace: Workspace, graph: Graph) -> list[Run]:
    """Returns the runs with logs or executions, the oldest run first.

    Directories of logs that a person renamed are left out: nothing tells their age.
    """
    ids = match_runs(workspace, graph.runs)
    runs = []
    for directory in workspace.run_directories():
        if started := parse_run_name(directory.name):
            executions = graph.runs.get(ids.get(directory.name, ""), [])
            runs.append(Run(directory.name, started, directory, tuple(executions)))
    for run_id in {*graph.runs} - {*ids.values()}:
        executions = graph.runs[run_id]
        started = parse_run_id(run_id) or executions[0].started.replace(tzinfo=None)
        runs.append(Run(run_id, started, None, tuple(executions)))
    return sorted(runs, key=lambda run: run.started)


def _explain(run: Run, served: Served, is_newest: bool) -> str:
    """Returns why the run stays; empty if it goes."""
    if is_newest:
        return NEWEST
    if any(execution.state == "unfinished" for execution in run.executions):
        return "is unfinished"
    if run.logs and (version := served.find_pushed_by(run.logs)):
        return f"made version {version}"
    run_ids = {execution.run_id for execution in run.executions}
    return next((reason for run_id, reason in served.runs.items() if run_id in run_ids), "")


def _collect(
    run: Run, workspace: Workspace, graph: Graph, needed: Collection[int], backups: Sequence[Path]
) -> OldRun:
    made = [e for e in run.executions if e.state != "cached"]
    unneeded = [a for e in made for a in e.outputs if a not in needed]
    artifacts = [graph.artifacts[a] for a in unneeded]
    # A moved workspace has its own directories, whatever its metadata names.
    places = [p for artifact in artifacts if (p := workspace.find_artifact(artifact.uri))]
    places += _list_system_directories(made, workspace, graph)
    return OldRun(
        run=run,
        artifacts=tuple(artifact.id for artifact in artifacts if artifact.is_live),
        directories=tuple(dict.fromkeys(place for place in places if place.is_dir())),
        backups=tuple(backups),
        comparisons=tuple(workspace.comparisons(run.name)) if run.logs else (),
    )


def _list_system_directories(
    made: Sequence[Execution], workspace: Workspace, graph: Graph
) -> list[Path]:
    """Returns TFX's own directories of executions, which are NODE/.system/KIND/ID."""
    outputs = (graph.artifacts[a].uri for e in made for a in e.outputs)
    tops = {place.parents[2] for uri in outputs if (place := workspace.find_artifact(uri))}
    return [
        path
        for top in tops
        for execution in made
        for path in top.glob(f"{execution.component}/.system/*/{execution.id}")
    ]


def _match_backups(workspace: Workspace, runs: Sequence[Run]) -> Mapping[str, list[Path]]:
    """Returns the backups that each run was the last one to write, by the run's name."""
    starts = [run.started.timestamp() for run in runs]
    matched: dict[str, list[Path]] = defaultdict(list)
    for backup in workspace.backups.glob("*"):
        # Runs of a workspace never overlap.
        if place := bisect_right(starts, last_written(backup)):
            matched[runs[place - 1].name].append(backup)
    return matched


def _find_unknown(workspace: Workspace, graph: Graph) -> tuple[Path, ...]:
    places = (workspace.find_artifact(artifact.uri) for artifact in graph.artifacts.values())
    known = {place.parents[2] for place in places if place}
    return tuple(sorted(path for path in workspace.artifacts.glob("*/") if path not in known))
