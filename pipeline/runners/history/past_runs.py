"""The runs that left a directory of logs in a workspace, for `runs`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from components.served_model.changes import list_whole_versions
from components.served_model.served_record import read_pointer_file
from pipeline.core.contracts import NO_REFERENCE, ArtifactFile, Node, RunFile
from pipeline.core.errors import WAITING
from pipeline.core.events import EventReader
from pipeline.core.processes import INTERRUPTED
from pipeline.runners.history.serving_states import ServedState, ServingStates
from pipeline.runners.workspace.places import Workspace, parse_run_name
from pipeline.terminal.summary import STATUS, Summary

RUNNING, DIED, SERVED, DAMAGED = "running", "died", "already served", "summary damaged"
STATUSES = (*STATUS.values(), SERVED, "tuned", "schema", RUNNING, DIED, DAMAGED)
"""Every status that a run can have."""


@dataclass(frozen=True)
class PastRun:
    """One run; its fields are the keys of `runs --json`."""

    run: str
    """The name of its directory of logs."""
    started: str | None
    """ISO 8601 with the offset of the time zone; None if a person renamed the directory."""
    seconds: float | None
    """Wall time; None while the run is running, and after a kill."""
    status: str
    """One of STATUSES."""
    component: str | None
    """The component in which the run stopped, or is at work now."""
    exit_code: int | None
    deciding: tuple[str, ...]
    """The metrics with thresholds, in the order of the configuration."""
    metrics: Mapping[str, float | None]
    """Metrics of the model on the whole evaluated split; None for an undefined one."""
    version: str | None
    """The version that the run pushed, or that was its model already, or the number under which
    its model waits for `promote`."""
    served: ServedState
    """Whether that version is the served one, or was, or was withdrawn by a rollback, or waits."""
    compared_with: str | None
    """What the gate compared the data with; None if the gate wrote no report."""
    why: str
    """The reason for a run that did not push, or what else to know about the run; may be empty."""
    log: str
    report: str | None
    """The path of the page of the run, if there is one."""


def list_runs(workspace: Workspace) -> list[PastRun]:
    """Returns the runs of the workspace, the oldest run first.

    A run without a summary died, unless it is the newest run and the workspace is locked.

    Raises:
      ConfigError: the pointer to the served model is damaged, or cannot be read.
    """
    directories = workspace.run_directories()
    is_running = bool(directories) and workspace.is_locked()
    runs = [_read_run(path, is_running and path == directories[-1]) for path in directories]
    record = read_pointer_file(str(workspace.serving))
    states = ServingStates.read(workspace.serving, record.version if record else None)
    if record is None:
        return [_with_serving(run, states) for run in runs]
    pushed = list_whole_versions(str(workspace.serving), record.version)
    return [_with_serving(run, states) for run in _with_pushes_of_killed_runs(runs, pushed)]


def _read_run(directory: Path, is_running: bool) -> PastRun:
    content = _read_summary(directory)
    if content is None:
        content = _make_summary(directory, is_running)
    try:
        return _describe(directory, content)
    except (AttributeError, KeyError, TypeError, ValueError):
        content = Summary("", directory.name, "", status=DAMAGED)
        return _describe(directory, json.loads(content.to_json()))


def _read_summary(directory: Path) -> Any:
    """Returns the content of summary.json; None if the run was killed before it wrote the file."""
    try:
        return json.loads((directory / RunFile.SUMMARY).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return {}


def _make_summary(directory: Path, is_running: bool) -> Any:
    """Returns what summary.json would hold, made from the events of the run."""
    status = RUNNING if is_running else DIED
    summary = Summary("", directory.name, str(directory / RunFile.LOG), status=status)
    for envelope in EventReader(directory / RunFile.EVENTS).read():
        summary.add(envelope.event)
    # After the death of the command, the DAG process sends the exit code of an interruption.
    summary.exit_code = None
    return json.loads(summary.to_json())


def _describe(directory: Path, summary: Mapping[str, Any]) -> PastRun:
    report = directory / RunFile.REPORT
    components = summary.get("components", [])
    status = summary["status"]
    if status == STATUS[0] and _has(components, Node.PUSHER, "cached"):
        status = SERVED
    return PastRun(
        run=directory.name,
        started=summary.get("started") or _read_start(directory.name),
        seconds=summary.get("seconds") or _guess_seconds(directory),
        status=status,
        component=_find_component(summary.get("error") or {}, components),
        exit_code=summary["exit_code"],
        deciding=tuple(summary.get("deciding", ())),
        metrics=summary.get("metrics", {}).get("", {}),
        version=(summary.get("pushed") or summary.get("waiting") or "").rpartition("/")[2] or None,
        served="",
        compared_with=(summary.get("findings") or {}).get("checked_against"),
        why=_explain(summary),
        log=str(directory / RunFile.LOG),
        report=str(report) if report.exists() else None,
    )


def _has(components: Sequence[Mapping[str, Any]], name: str, state: str) -> bool:
    return any(c["name"] == name and c["state"] == state for c in components)


def _find_component(
    error: Mapping[str, Any], components: Sequence[Mapping[str, Any]]
) -> str | None:
    stopped = (c["name"] for c in components if c["state"] in ("failed", "interrupted", "running"))
    return error.get("component") or next(stopped, None)


def _explain(summary: Mapping[str, Any]) -> str:
    if missed := summary.get("missed"):
        return str(missed[0])
    if withdrawn := summary.get("withdrawn"):
        return str(withdrawn["why"])
    if error := summary.get("error"):
        return "" if error["message"] == STATUS[INTERRUPTED] else str(error["message"])
    if (summary.get("findings") or {}).get("checked_against") == NO_REFERENCE:
        return "the data was compared with no reference (schema.reference is none)"
    return ""


def _read_start(name: str) -> str | None:
    start = parse_run_name(name)
    return start.astimezone().isoformat(timespec="milliseconds") if start else None


def _guess_seconds(directory: Path) -> float | None:
    """Returns the seconds of a run of an earlier version, which wrote its summary last."""
    start, summary = parse_run_name(directory.name), directory / RunFile.SUMMARY
    if start is None or not summary.exists():
        return None
    return max(round(summary.stat().st_mtime - start.timestamp(), 3), 0.0)


def find_serving_directory(root: Path) -> Path:
    """Returns the serving directory of an output directory whose configuration is not at hand.

    It lies in the output directory, unless a run pushed to another directory, which still exists.
    """
    own = root / "serving"
    if (own / ArtifactFile.SERVED_RECORD).exists():
        return own
    for directory in reversed(Workspace(root, own).run_directories()):
        summary = _read_summary(directory)
        pushed = summary.get("pushed") if isinstance(summary, dict) else None
        if pushed and Path(pushed).parent.is_dir():
            return Path(pushed).parent
        waiting = summary.get("waiting") if isinstance(summary, dict) else None
        if waiting and Path(waiting).parents[1].is_dir():
            return Path(waiting).parents[1]
    return own


def _with_pushes_of_killed_runs(runs: list[PastRun], versions: Sequence[str]) -> list[PastRun]:
    """Returns the runs, with the version of each run that was killed after its push.

    A version's number is the second of its push. If it lies between the starts of a run that was
    stopped in its Pusher and of the next run, the former run pushed the version.
    """
    starts = [_second(run) for run in runs]
    found = []
    for run, start, end in zip(runs, starts, [*starts, None][1:], strict=True):
        pushes = [v for v in versions if start and start <= int(v) and (not end or int(v) < end)]
        if run.component == Node.PUSHER and run.version is None and pushes:
            run = replace(run, version=pushes[-1], why=f"the model was pushed. {run.why}".strip())
        found.append(run)
    return found


def _second(run: PastRun) -> int | None:
    return int(datetime.fromisoformat(run.started).timestamp()) if run.started else None


def _with_serving(run: PastRun, states: ServingStates) -> PastRun:
    if run.version is None:
        return run
    version, served = states.describe(run.version, waited=run.status == STATUS[WAITING])
    return replace(run, version=version, served=served)
