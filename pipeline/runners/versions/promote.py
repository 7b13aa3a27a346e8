"""Serves a candidate that waits, a version that a rollback withdrew, or one without a pointer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from components.pusher.publication import prune, publish
from components.pusher.versions import push_version, remove_candidates_of, remove_unfinished_push
from components.served_model.changes import Change, Changes, now, read_changes
from components.served_model.lock import lock_serving
from components.served_model.pointer import find_record, read_pointer
from components.served_model.same_model import is_same_saved_model
from components.served_model.served_record import ServedRecord, is_same_model, read_pointer_file
from components.served_model.store.fetching import fetch_version
from components.served_model.version_records import (
    list_unnamed,
    refuse_damaged,
    refuse_lost_pointer,
    refuse_lost_version,
)
from components.served_model.waiting import (
    MODEL,
    SCHEMA,
    STATISTICS,
    Candidate,
    list_numbers,
    list_waiting,
    read_candidate,
)
from pipeline.core.errors import ConfigError
from pipeline.core.files import has_files
from pipeline.runners.versions.guards import read_served, refuse_if_changed
from pipeline.runners.versions.person import name_person
from pipeline.runners.versions.records import find_any_record, require_record
from pipeline.runners.workspace.places import Workspace

_FORCE = "--force serves it nevertheless"


def promote(
    workspace: Workspace, number: str | None, reason: str = "", *, force: bool = False
) -> Change:
    """Serves a candidate or a withdrawn version, and returns the change that is on record now.

    If the pointer is lost, each version may be served again.

    Args:
      number: of a candidate or of a version; None for the newest candidate.
      force: whether to serve it although another model is served than it was compared with.

    Raises:
      ConfigError: there is no such candidate or version, a file of it is lost, or it was compared
        with another model than is served now.
    """
    serving = str(workspace.serving)
    workspace.refresh_serving()
    seen = read_pointer_file(serving)
    chosen = number or _choose_newest(serving)
    with lock_serving(serving):
        refuse_if_changed(serving, seen)
        remove_unfinished_push(serving)
        if chosen in list_numbers(serving):
            return _push_candidate(serving, read_candidate(serving, chosen), reason, force)
        if chosen in (unnamed := list_unnamed(serving)):
            return _name_again(workspace, chosen, unnamed, reason)
        return _restore_withdrawn(workspace, chosen, reason, force)


def _choose_newest(serving: str) -> str:
    if waiting := list_waiting(serving):
        return waiting[-1].number
    refuse_lost_pointer(serving)
    withdrawn = [*read_changes(serving).withdrawals()]
    hint = f"`promote {withdrawn[-1]}` serves the withdrawn version again" if withdrawn else ""
    raise ConfigError(
        f"{serving}: no candidate waits",
        hint or "candidates wait where serving.mode is manual; `versions` lists them",
    )


def _push_candidate(serving: str, candidate: Candidate, reason: str, force: bool) -> Change:
    """Pushes a candidate in the steps of the Pusher."""
    record = candidate.record
    fetch_version(serving, candidate.number)
    _refuse_lost_files(candidate)
    if not force:
        refuse_lost_version(serving, record.run_key)
    baseline = find_record(serving, "baseline", record.run_key)
    if not force and not is_same_model(record.baseline, baseline):
        raise _make_overtaken_error(candidate, read_pointer(serving))
    before = read_pointer(serving)
    if not force and before is not None:
        _refuse_repeated(candidate, before)
    reference = {name: candidate.place(name) for name in (SCHEMA, STATISTICS)}
    version = push_version(candidate.place(MODEL), reference, serving, candidate.number)
    change = Change(
        "promote", version, record.push_key, now(), by=name_person(), reason=reason,
        run=candidate.run, before=before.version if before else "",
        candidate=candidate.number if candidate.number != version else "",
    )  # fmt: skip
    publish(serving, replace(record, version=version), change, candidate.pipeline)
    remove_candidates_of(serving, record.push_key)
    prune(serving, candidate.keep_versions, before)
    return change


def _refuse_lost_files(candidate: Candidate) -> None:
    model = candidate.place(MODEL)
    if not has_files(model, candidate.record.files):
        raise ConfigError(
            f"candidate {candidate.number}: {model} has lost files",
            f"remove {candidate.directory}; the next run makes the candidate again",
        )


def _refuse_repeated(candidate: Candidate, served: ServedRecord) -> None:
    """Refuses a candidate that repeats the training of the served model, and differs from it.

    Both were compared with one baseline, but never with each other.
    """
    if candidate.record.run_key == served.run_key and not is_same_saved_model(
        candidate.place(MODEL), served.served_model, same_key=True
    ):
        raise ConfigError(
            f"candidate {candidate.number} repeats the training of version {served.version}, which "
            "is served now: the two models differ, but were never compared",
            f"run again with another training.seed: that model is compared; {_FORCE}",
        )


def _make_overtaken_error(candidate: Candidate, served: ServedRecord | None) -> ConfigError:
    baseline = candidate.record.baseline
    compared = f"version {baseline.version}" if baseline else "no model, as on a first run"
    now_served = f"version {served.version}" if served else "nothing"
    return ConfigError(
        f"candidate {candidate.number} was compared with {compared}, "
        f"but {now_served} is served now",
        f"run again: an unchanged run compares the model with what is served now; {_FORCE}",
    )


def _name_again(workspace: Workspace, version: str, unnamed: Sequence[str], reason: str) -> Change:
    """Serves a version again whose pointer is lost, and withdraws the newer ones.

    Otherwise the next unchanged run would find a newer one in its cache, and report it as served.
    """
    record = require_record(workspace, version)
    refuse_damaged(record)
    newer = {v: find_any_record(workspace, v) for v in unnamed[unnamed.index(version) + 1 :]}
    change = Change(
        "rollback" if newer else "promote", version, record.push_key, now(), by=name_person(),
        reason=reason, withdrawn={v: one.push_key if one else "" for v, one in newer.items()},
    )  # fmt: skip
    publish(str(workspace.serving), record, change, workspace.short_name)
    return change


def _restore_withdrawn(workspace: Workspace, version: str, reason: str, force: bool) -> Change:
    """Serves a version again that a rollback withdrew."""
    serving = str(workspace.serving)
    served, changes = read_served(serving), read_changes(serving)
    withdrawal = changes.withdrawals().get(version)
    if withdrawal is None:
        raise _make_unknown_error(serving, version, served, changes)
    record = require_record(workspace, version)
    fetch_version(serving, version)
    refuse_damaged(record)
    if not force and withdrawal.change.version != served.version:
        raise ConfigError(
            f"version {version} was replaced by version {withdrawal.change.version}, but version "
            f"{served.version} is served now: the two were never compared",
            _FORCE,
        )
    last = changes.last(version)
    change = Change(
        "promote", version, record.push_key, now(), by=name_person(), reason=reason,
        run=last.run if last else "", before=served.version,
    )  # fmt: skip
    publish(serving, record, change, workspace.short_name)
    return change


def _make_unknown_error(
    serving: str, version: str, served: ServedRecord, changes: Changes
) -> ConfigError:
    if version == served.version:
        return ConfigError(f"version {version} is served already")
    if version in changes.list_served():
        return ConfigError(
            f"version {version} neither waits nor is withdrawn: it was served before",
            f"`rollback {version}` serves it again",
        )
    names = [*list_numbers(serving), *changes.withdrawals()]
    known = f"there are {', '.join(names)}" if names else "none waits, and none is withdrawn"
    return ConfigError(f"{serving}: no candidate and no withdrawn version {version}", known)
