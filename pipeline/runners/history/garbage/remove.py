"""Removes the runs of a plan, in an order that a kill cannot harm."""

from __future__ import annotations

import shutil
from pathlib import Path

from pipeline.core.contracts import RunFile
from pipeline.core.errors import ConfigError
from pipeline.core.ownership import own_backup_if_free
from pipeline.runners.history.garbage.plan import OldRun, Plan, make_plan
from pipeline.runners.history.graph import Graph, read_graph
from pipeline.runners.workspace.database import open_metadata
from pipeline.runners.workspace.deletion import mark_deleted, remove_logs
from pipeline.runners.workspace.places import Workspace
from pipeline.terminal.summary import RemovedRuns


def plan_removal(workspace: Workspace, keep: int) -> Plan:
    """Returns what goes if the newest `keep` runs stay; the caller must hold the lock.

    Raises:
      ConfigError: the metadata or the pointer to the served model cannot be read.
    """
    store = open_metadata(workspace.metadata)
    return make_plan(workspace, read_graph(store) if store else Graph({}, {}), keep)


def remove_as_planned(shown: Plan, workspace: Workspace, keep: int) -> RemovedRuns:
    """Removes what a person has seen and agreed to; the caller must hold the lock.

    Raises:
      ConfigError: something else would go now, so nothing was removed.
      The same as `remove`.
    """
    plan = plan_removal(workspace, keep)
    if plan.old != shown.old:
        raise ConfigError(
            f"{workspace.name}: a run ended or was removed meanwhile, so something else would go "
            "now; nothing was removed",
            "repeat the command",
        )
    return remove(plan, workspace)


def remove(plan: Plan, workspace: Workspace) -> RemovedRuns:
    """Removes the old runs, and returns what was removed, with the bytes that are free now.

    What needs no marks goes first: the marks need some room on a disk that may be full. The marks
    in the metadata come next, all at once. From then on no run uses the artifacts. The logs of a
    run go last: until then, another `gc` finds the run and goes on. The caller must hold the lock
    since before the plan was made.

    Raises:
      ConfigError: the metadata, or the lock of a backup, cannot be written.
      OSError: a directory cannot be removed.
    """
    before = sum(old.measure() for old in plan.old)
    for old in plan.old:
        _remove_unmarked(old, workspace.backups)
    marked = [artifact for old in plan.old for artifact in old.artifacts]
    if marked:
        store = open_metadata(workspace.metadata, for_writing=True)
        assert store is not None
        mark_deleted(store, marked)
    for old in plan.old:
        _remove_files(old)
    left = sum(old.measure() for old in plan.old)
    return RemovedRuns(len(plan.old), len(marked), before - left)


def _remove_unmarked(old: OldRun, backups: Path) -> None:
    """Removes what no metadata names: pages, and backups of trainings."""
    if old.run.logs:
        (old.run.logs / RunFile.REPORT).unlink(missing_ok=True)
    for page in old.comparisons:
        # The page of two runs that both go is in both plans.
        page.unlink(missing_ok=True)
    for backup in old.backups:
        with own_backup_if_free(backups, backup.name) as is_owned:
            if is_owned:
                shutil.rmtree(backup)


def _remove_files(old: OldRun) -> None:
    for directory in old.directories:
        shutil.rmtree(directory)
    if old.run.logs:
        remove_logs(old.run.logs)
