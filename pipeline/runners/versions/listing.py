"""Lists the versions and candidates of a serving directory, for `versions`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from components.served_model.changes import Change, Changes, list_whole_versions, read_changes
from components.served_model.served_record import ServedRecord, read_pointer_file
from components.served_model.store.fetching import measure_unit
from components.served_model.waiting import Candidate, list_waiting
from pipeline.core.contracts import Node
from pipeline.core.statuses import Status
from pipeline.runners.history.past_runs import PastRun, list_runs
from pipeline.runners.workspace.deletion import measure
from pipeline.runners.workspace.places import Workspace

State = Literal["served", "earlier", "withdrawn", "waiting"]


@dataclass(frozen=True)
class Version:
    """One version or candidate; its fields are the keys of `versions --json`."""

    version: str
    """Its number; of a candidate, the number under which it waits."""
    state: State
    since: str
    """When it came into this state: ISO 8601 with the offset of a time zone; empty if unknown."""
    deciding: tuple[str, ...]
    """The metrics with thresholds in the run that made it, in the order of the configuration."""
    metrics: Mapping[str, float | None]
    """Metrics of the model on the whole evaluated split; empty if the run was removed."""
    run: str
    """The run that made it; empty if unknown."""
    why: str
    """Why it is in this state."""
    by: str
    """The person (user@host) who brought it into this state; empty for a run."""
    reason: str
    """What that person wrote."""
    bytes: int
    """The space on the disk, or on the object store."""
    directory: str


def list_versions(workspace: Workspace) -> list[Version]:
    """Returns the versions and candidates, those with the highest numbers last.

    Raises:
      ConfigError: the pointer or the file of a candidate is damaged, or cannot be read.
    """
    serving = str(workspace.serving)
    workspace.refresh_serving()
    record, changes = read_pointer_file(serving), read_changes(serving)
    runs = list_runs(workspace)
    served = record.version if record else ""
    versions = [
        _describe(Path(serving, number), served, changes, runs, workspace)
        for number in list_whole_versions(serving, served)
    ]
    waiting = [_describe_candidate(c, record, runs, workspace) for c in list_waiting(serving)]
    return sorted([*versions, *waiting], key=lambda version: int(version.version))


def _describe(
    path: Path, served: str, changes: Changes, runs: Sequence[PastRun], workspace: Workspace
) -> Version:
    version, last = path.name, changes.last(path.name)
    withdrawal = changes.withdrawals().get(version)
    decisive = withdrawal.change if withdrawal else last
    made = _find_run(runs, version)
    run = made.run if made else last.run if last else ""
    return Version(
        version=version,
        state="served" if version == served else "withdrawn" if withdrawal else "earlier",
        since=decisive.at if decisive else "",
        deciding=made.deciding if made else (),
        metrics=made.metrics if made else _read_metrics(workspace, run),
        run=run,
        why=_explain(version, decisive, run),
        by=decisive.by if decisive else "",
        reason=decisive.reason if decisive else "",
        bytes=_measure(path, workspace),
        directory=str(path),
    )


def _describe_candidate(
    candidate: Candidate,
    served: ServedRecord | None,
    runs: Sequence[PastRun],
    workspace: Workspace,
) -> Version:
    made = _find_run(runs, candidate.number)
    run = made.run if made else candidate.run
    return Version(
        version=candidate.number,
        state="waiting",
        since=candidate.since,
        deciding=made.deciding if made else (),
        metrics=made.metrics if made else _read_metrics(workspace, run),
        run=run,
        why=_explain_candidate(candidate.record, served),
        by="",
        reason="",
        bytes=_measure(Path(candidate.directory), workspace),
        directory=candidate.directory,
    )


def _measure(path: Path, workspace: Workspace) -> int:
    unit = str(path.relative_to(workspace.serving))
    stored = measure_unit(str(workspace.serving), unit)
    return measure(path) if stored is None else stored


def _explain_candidate(record: ServedRecord, served: ServedRecord | None) -> str:
    if served is not None and record.run_key == served.run_key:
        kind = "with other exports" if served.exports_key else "with exports"
        exports = kind if record.exports_key else "without exports"
        return f"same model as version {served.version}, {exports}"
    baseline = record.baseline
    return f"compared with {f'version {baseline.version}' if baseline else 'no model'}"


def _find_run(runs: Sequence[PastRun], version: str) -> PastRun | None:
    """Returns the run that made a version; runs that found the version served come later."""
    makers = (run for run in runs if run.version == version and run.status != Status.UNCHANGED)
    return next(makers, None)


def _explain(version: str, change: Change | None, run: str) -> str:
    if change is None:
        return ""
    by = f" by {change.by}" if change.by else ""
    reason = f" because: {change.reason}" if change.reason else ""
    if change.action == "push":
        return f"pushed by run {run}" if run else "pushed"
    if change.action == "promote":
        return f"promoted{by}{reason}"
    if version == change.version:
        return f"rolled back from {change.before}{by}{reason}"
    return f"rolled back to {change.version}{by}{reason}"


def _read_metrics(workspace: Workspace, run: str) -> dict[str, float | None]:
    """Returns the metrics that the Evaluator's task of a run on Kubeflow left on the volume."""
    path = workspace.root / "runs" / run / "tasks" / f"{Node.EVALUATOR}.json"
    try:
        outcome: Any = json.loads(path.read_text(encoding="utf-8"))["outcome"]
        return dict(outcome["metrics"][""])
    except (OSError, ValueError, KeyError, TypeError):
        return {}
