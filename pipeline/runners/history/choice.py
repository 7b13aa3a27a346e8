"""Finds the workspace of a command about past runs, and the runs that its filters choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from pipeline.config import load_config
from pipeline.core.errors import ConfigError
from pipeline.core.statuses import Status
from pipeline.runners.history.past_runs import PastRun, find_serving_directory
from pipeline.runners.workspace.places import SERVING_COPY, Workspace, locate_output


@dataclass(frozen=True)
class RunFilter:
    """Which runs `runs` lists; all conditions hold at once."""

    statuses: Sequence[str] = ()
    """Statuses, or their beginnings, such as `failed` or `stopped`; empty for all."""
    since: datetime | None = None
    """Local time."""
    last: int | None = None
    """The newest so many of the runs that meet the other conditions."""
    served: bool = False
    """Only runs whose version is served, or was."""

    def __post_init__(self) -> None:
        """Raises ConfigError if a status does not exist."""
        for status in self.statuses:
            if not any(_matches(known, status) for known in Status):
                known = ", ".join(Status)
                raise ConfigError(f"--status {status}: no run has this status", f"one of: {known}")

    def choose(self, runs: Sequence[PastRun]) -> list[PastRun]:
        """Returns the runs that meet the conditions, in the same order."""
        chosen = [run for run in runs if self._admits(run)]
        return chosen if self.last is None else chosen[-self.last :]

    def _admits(self, run: PastRun) -> bool:
        if self.statuses and not any(_matches(run.status, status) for status in self.statuses):
            return False
        if self.since and (not run.started or _time(run.started) < self.since.astimezone()):
            return False
        return bool(run.served) or not self.served


def _matches(status: str, asked: str) -> bool:
    return status.startswith(asked.lower().replace("-", " ").replace("_", " "))


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone()


def find_workspace(
    configs: Sequence[Path], assignments: Sequence[str], output: Path | str | None
) -> Workspace:
    """Returns the workspace of a configuration, or of an output directory alone.

    Without a configuration, the serving directory is that of the newest push. If the output lies on
    a store, its working copy is made as the store is.

    Raises:
      ConfigError: neither is given, the directory does not exist, or the configuration is wrong.
      PipelineError: the store does not answer, or an object is damaged.
    """
    if not configs and output is None:
        raise ConfigError("give --output DIR or --config FILE")
    if configs:
        workspace = Workspace.of(load_config(configs, assignments), output)
        if workspace.address:
            workspace.refresh()
            workspace.refresh_serving()
    else:
        assert output is not None
        workspace = open_output(output)
    # What a store holds can be looked at, and changed, on a machine without runs.
    if not workspace.root.is_dir() and not workspace.store:
        key = "--output" if output else "the output directory of --config"
        raise ConfigError(
            f"{key} {workspace.root}: there is no such directory",
            "a run makes the directory; name the --output of its `run`",
        )
    return workspace


def open_output(output: Path | str) -> Workspace:
    """Returns the workspace of an output directory, or of an output on a store, as it is now.

    Raises:
      ConfigError: no run has written to the address, or the store refuses access.
      PipelineError: the store does not answer, or an object is damaged.
    """
    root, address = locate_output(output)
    if not address:
        return Workspace(root, find_serving_directory(root))
    workspace = Workspace(root, root / SERVING_COPY, "", address)
    store = workspace.refresh()
    if not store:
        return replace(workspace, serving=find_serving_directory(root))
    workspace = replace(workspace, store=store)
    workspace.refresh_serving()
    return workspace
