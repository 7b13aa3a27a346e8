"""The runs that left a directory of logs in a workspace, for `runs`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from components.served_model.changes import list_whole_versions
from components.served_model.served_record import REFERENCE_DIRECTORY, read_pointer_file
from components.served_model.version_records import find_version_record
from components.served_model.waiting import WAITING_DIRECTORY
from pipeline.core.contracts import NO_REFERENCE, ArtifactFile, Node, RunFile
from pipeline.core.statuses import Status
from pipeline.runners.history.serving_states import ServedState, ServingStates
from pipeline.runners.workspace.past_summary import PastSummary, read_summary
from pipeline.runners.workspace.places import SERVING_COPY, Workspace, parse_run_name
from pipeline.terminal.summary import Summary


@dataclass(frozen=True)
class PastRun:
    """One run; its fields are the keys of `runs --json`."""

    run: str
    """The name of its directory of logs."""
    started: str | None
    """ISO 8601 with the offset of the time zone; None if a person renamed the directory."""
    seconds: float | None
    """Wall time; None while the run is running, and after a kill."""
    status: Status
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
    # `gc` may remove runs meanwhile; what is left of their files says nothing.
    runs = [run for run, path in zip(runs, directories, strict=True) if path.is_dir()]
    record = read_pointer_file(str(workspace.serving))
    states = ServingStates.read(workspace.serving, record.version if record else None)
    if record is None:
        return [_with_serving(run, states) for run in runs]
    pushed = list_whole_versions(str(workspace.serving), record.version)
    runs = _with_pushes_of_killed_runs(runs, pushed, workspace)
    return [_with_serving(run, states) for run in runs]


def _read_run(directory: Path, is_at_work: bool) -> PastRun:
    past = read_summary(directory, is_at_work=is_at_work)
    summary, report = past.summary, directory / RunFile.REPORT
    status = summary.status
    if status == Status.PUSHED and summary.is_unchanged:
        status = Status.UNCHANGED
    metrics = summary.metrics.get("", {})
    return PastRun(
        run=directory.name,
        started=summary.started or _read_start(directory.name),
        seconds=_find_seconds(past, directory),
        status=status,
        component=summary.component,
        exit_code=summary.exit_code,
        deciding=tuple(summary.deciding),
        metrics={n: None if math.isnan(value) else value for n, value in metrics.items()},
        version=Path(summary.pushed or summary.waiting or "").name or None,
        served="",
        compared_with=summary.findings.checked_against if summary.findings else None,
        why=past.damage or _explain(summary),
        log=summary.log,
        report=str(report) if report.exists() else None,
    )


def _explain(summary: Summary) -> str:
    if summary.missed:
        return summary.missed[0]
    if summary.serving_check and summary.serving_check.problems:
        return summary.serving_check.problems[0]
    if summary.withdrawn:
        return summary.withdrawn.why
    if summary.error:
        return "" if summary.error.message == Status.INTERRUPTED else summary.error.message
    if summary.warnings:
        return summary.warnings[0]
    if summary.findings and summary.findings.checked_against == NO_REFERENCE:
        return "the data was compared with no reference (schema.reference is none)"
    return ""


def _read_start(name: str) -> str | None:
    start = parse_run_name(name)
    return start.astimezone().isoformat(timespec="milliseconds") if start else None


def _find_seconds(past: PastSummary, directory: Path) -> float | None:
    """Returns the wall time; an earlier version did not note it, but wrote its summary last."""
    start, summary = parse_run_name(directory.name), directory / RunFile.SUMMARY
    is_noted = past.summary.seconds is not None or past.summary.started is not None
    if is_noted or past.damage or start is None or not past.is_written:
        return past.summary.seconds
    return max(round(summary.stat().st_mtime - start.timestamp(), 3), 0.0)


def find_serving_directory(root: Path) -> Path:
    """Returns the serving directory of an output directory whose configuration is not at hand.

    It lies in the output directory, unless a run pushed to another directory, which still exists.
    """
    copy, own = root / SERVING_COPY, root / "serving"
    if (copy / ArtifactFile.SERVED_RECORD).exists():
        return copy
    # A directory whose pointer is lost still has the schemas and statistics of its versions. An
    # output directory may be a copy, whose runs name the serving directory of the original.
    if any((own / name).exists() for name in (ArtifactFile.SERVED_RECORD, REFERENCE_DIRECTORY)):
        return own
    for directory in reversed(Workspace(root, own).run_directories()):
        summary = read_summary(directory).summary
        if summary.pushed and Path(summary.pushed).parent.is_dir():
            return Path(summary.pushed).parent
        # A candidate lies in a directory of its own below the serving directory.
        waiting = Path(summary.waiting or "").parent
        if waiting.name == WAITING_DIRECTORY and waiting.parent.is_dir():
            return waiting.parent
    return own


def _with_pushes_of_killed_runs(
    runs: list[PastRun], versions: Sequence[str], workspace: Workspace
) -> list[PastRun]:
    """Returns the runs, with the version of each run that was killed after its push.

    A version's number is the second of its push. If it lies between the starts of a run that was
    stopped in its Pusher and of the next run, the former run pushed the version, unless the model
    was made elsewhere: workspaces may share a serving directory.
    """
    starts = [_second(run) for run in runs]
    found = []
    for run, start, end in zip(runs, starts, [*starts, None][1:], strict=True):
        pushes = [v for v in versions if start and start <= int(v) and (not end or int(v) < end)]
        if run.component == Node.PUSHER and run.version is None:
            own = [v for v in pushes if _is_made_here(v, workspace)]
            why = f"the model was pushed. {run.why}".strip()
            run = replace(run, version=own[-1], why=why) if own else run
        found.append(run)
    return found


def _is_made_here(version: str, workspace: Workspace) -> bool:
    """Whether a run of this workspace made the model; true if the version has lost its record."""
    record = find_version_record(str(workspace.serving), version)
    if record is None:
        return True
    model = workspace.find_artifact(record.model)
    # The name of the directory of artifacts is the moment in which this workspace made it.
    return model is not None and model.parents[2].is_dir()


def _second(run: PastRun) -> int | None:
    return int(datetime.fromisoformat(run.started).timestamp()) if run.started else None


def _with_serving(run: PastRun, states: ServingStates) -> PastRun:
    if run.version is None:
        return run
    version, served = states.describe(run.version, waited=run.status == Status.WAITING)
    return replace(run, version=version, served=served)
