"""Makes an older version the served version, and withdraws those that were served after it."""

from __future__ import annotations

from components.pusher.publication import publish
from components.pusher.versions import remove_unfinished_push
from components.served_model.changes import (
    Change,
    Changes,
    list_whole_versions,
    now,
    read_changes,
)
from components.served_model.lock import lock_serving
from components.served_model.served_record import ServedRecord
from components.served_model.store.fetching import fetch_version
from components.served_model.version_records import refuse_damaged
from components.served_model.waiting import list_numbers
from pipeline.core.errors import ConfigError
from pipeline.runners.versions.guards import read_served, refuse_if_changed
from pipeline.runners.versions.person import name_person
from pipeline.runners.versions.records import find_any_record, require_record
from pipeline.runners.workspace.places import Workspace


def roll_back(workspace: Workspace, version: str | None, reason: str = "") -> Change:
    """Serves an older version again, and returns the change that is on record now.

    The versions that were served after it are withdrawn: an unchanged run does not push them again.

    Args:
      version: None for the version that was served before the served one.

    Raises:
      ConfigError: there is no such version, a file of it is lost, its record cannot be found, or
        another process changed the served version meanwhile.
    """
    serving = str(workspace.serving)
    workspace.refresh_serving()
    served = read_served(serving)
    target = version or _find_previous(serving, served)
    with lock_serving(serving):
        # Two people who see the same fault go back one version, not two.
        refuse_if_changed(serving, served)
        remove_unfinished_push(serving)
        changes = read_changes(serving)
        _check_target(serving, target, served, changes)
        record = require_record(workspace, target)
        fetch_version(serving, target)
        refuse_damaged(record)
        change = Change(
            "rollback", target, record.push_key, now(), by=name_person(), reason=reason,
            run=_find_run(changes, target), before=served.version,
            withdrawn=_list_withdrawn(workspace, changes, target, served),
        )  # fmt: skip
        publish(serving, record, change, workspace.short_name)
    return change


def _find_previous(serving: str, served: ServedRecord) -> str:
    existing = list_whole_versions(serving, served.version)
    previous = read_changes(serving).find_previous(existing)
    if previous is None:
        raise ConfigError(
            f"{serving}: nothing older to go back to than version {served.version}",
            "`versions` lists all versions; serving.keep_versions says how many stay",
        )
    return previous


def _check_target(serving: str, target: str, served: ServedRecord, changes: Changes) -> None:
    existing = list_whole_versions(serving, served.version)
    if target == served.version:
        raise ConfigError(f"version {target} is served already")
    if target in list_numbers(serving):
        raise ConfigError(f"version {target} was never served: it waits", f"`promote {target}`")
    if target not in existing:
        known = ", ".join(v for v in reversed(existing) if v != served.version) or "no other"
        raise ConfigError(
            f"{serving} has no version {target}", f"it has {known}; `versions` lists all"
        )
    if target in changes.withdrawals():
        raise ConfigError(
            f"version {target} is withdrawn, so it is nothing to go back to",
            f"`promote {target}` serves it again",
        )


def _find_run(changes: Changes, version: str) -> str:
    last = changes.last(version)
    return last.run if last else ""


def _list_withdrawn(
    workspace: Workspace, changes: Changes, target: str, served: ServedRecord
) -> dict[str, str]:
    """Returns the push keys of the versions that the rollback withdraws, by version."""
    chain = changes.list_served()
    if target in chain:
        newer = chain[chain.index(target) + 1 :]
    else:
        newer = [version for version in chain if int(version) > int(target)]
    if served.version not in newer:
        newer.append(served.version)
    records = {version: find_any_record(workspace, version) for version in newer}
    return {version: record.push_key if record else "" for version, record in records.items()}
