"""Pushes a SavedModel into a directory that a model server watches, and removes old versions.

A push writes the whole version first and then the pointer that names it. Between these steps the
version is pending. If the push is killed in between, the next push removes the pending version, so
that no server keeps a version that no pointer has named.

The caller holds the directory's lock (components/served_model/lock.py) whenever a function here
changes the directory. This module imports neither TFX nor TensorFlow, since `promote` uses it, too.
"""

from __future__ import annotations

import os
import shutil
import time
import uuid
from collections.abc import Collection, Mapping

from components.push_history.history import note_push
from components.pusher.models_config import update_models_config
from components.served_model.changes import (
    Changes,
    list_whole_versions,
    read_changes,
    read_pending,
)
from components.served_model.pointer import read_pointer
from components.served_model.served_record import (
    PENDING,
    REFERENCE_DIRECTORY,
    read_pointer_file,
    reference_directory,
)
from components.served_model.store.local_copy import list_reserved
from components.served_model.waiting import list_numbers, read_candidate, waiting_directory
from pipeline.core.contracts import ArtifactFile
from pipeline.core.files import copy_tree, is_staged, sync, sync_tree, write_text_atomically

_STAGED = ".staged-"
_LEFTOVERS = (_STAGED, f"{PENDING}.", f"{ArtifactFile.SERVED_RECORD}.")
"""The names of a killed push's leftovers begin so: staged directories, and staged files as earlier
releases of this project named them. `is_staged` knows the names of today's staged files."""


def push_version(
    model: str,
    reference: Mapping[str, str],
    serving_directory: str,
    number: str | None = None,
    extra: Mapping[str, str] | None = None,
) -> str:
    """Copies the SavedModel at `model` to a new, pending version.

    The copy gets a name that is no number, which model servers ignore, and is renamed when it is
    complete: no server ever loads half a model.

    Args:
      reference: directories to copy to the version's reference directory, by their names there.
      number: the number to take, if it is higher than that of each version; None for a new one.
      extra: directories to copy into the version, by their paths there.

    Returns:
      The number of the version.
    """
    remove_unfinished_push(serving_directory)
    version = number if _is_highest(number, serving_directory) else new_number(serving_directory)
    assert version is not None
    referred = reference_directory(serving_directory, version)
    staged = make_staging_path(serving_directory)
    try:
        for name, directory in reference.items():
            copy_tree(directory, os.path.join(referred, name))
        if reference:
            sync_tree(referred)
            sync(os.path.dirname(referred))
        copy_tree(model, staged)
        for name, directory in (extra or {}).items():
            copy_tree(directory, os.path.join(staged, name))
        sync_tree(staged)
        pending = os.path.join(serving_directory, PENDING)
        write_text_atomically(pending, version, durable=True)
        os.rename(staged, os.path.join(serving_directory, version))
        sync(serving_directory)
    except BaseException:
        for directory in (staged, referred):
            shutil.rmtree(directory, ignore_errors=True)
        raise
    return version


def new_number(serving_directory: str) -> str:
    """Returns a number for a version or a candidate: the seconds since 1970, or more.

    It is higher than the numbers of all versions and candidates.
    """
    versions, candidates = list_versions(serving_directory), list_numbers(serving_directory)
    taken = [*versions, *candidates, *list_reserved(serving_directory)]
    return str(max([int(time.time()), *(int(number) + 1 for number in taken)]))


def _is_highest(number: str | None, serving_directory: str) -> bool:
    taken = [*list_versions(serving_directory), *list_reserved(serving_directory)]
    return number is not None and all(int(other) < int(number) for other in taken)


def confirm_push(serving_directory: str) -> None:
    """Ends the pending state of a version, once the pointer names the version."""
    pending = os.path.join(serving_directory, PENDING)
    if os.path.exists(pending):
        os.remove(pending)


def remove_unfinished_push(serving_directory: str) -> None:
    """Removes the leftovers of a killed push, and does what it had still to do.

    Leftovers are staged copies, a version that was never named, and a candidate that is served.
    A version that was named and not confirmed may lack its entry in the history of pushes.
    """
    version = read_pending(serving_directory)
    if version is not None:
        served = read_pointer(serving_directory)
        if served is not None and served.version == version:
            change = read_changes(serving_directory).last(version)
            note_push(serving_directory, served, change.at if change else "")
        elif version in list_versions(serving_directory):
            _remove(serving_directory, version)
        confirm_push(serving_directory)
    for name in _list_names(serving_directory):
        if name.startswith(_LEFTOVERS) or is_staged(name):
            leftover = os.path.join(serving_directory, name)
            (shutil.rmtree if os.path.isdir(leftover) else os.remove)(leftover)
    _remove_stale_references(serving_directory)
    record = read_pointer_file(serving_directory)
    if record is not None:
        remove_candidates_of(serving_directory, record.push_key)
        update_models_config(serving_directory, record.version)


def list_versions(serving_directory: str) -> list[str]:
    """Returns the versions in the directory, oldest first."""
    return sorted((name for name in _list_names(serving_directory) if name.isdigit()), key=int)


def prune_versions(serving_directory: str, keep: int, needed: Collection[str]) -> None:
    """Removes all but the newest `keep` versions, and keeps each version in `needed`."""
    for version in list_versions(serving_directory)[:-keep]:
        if version not in needed:
            _remove(serving_directory, version)
    _remove_stale_references(serving_directory)


def list_rollback_targets(serving_directory: str, changes: Changes, keep: int) -> list[str]:
    """Returns the newest `keep` versions that are not withdrawn, the served one last.

    Withdrawn versions count among the newest, too: without these, a few rollbacks would leave
    nothing to go back to.
    """
    existing = list_whole_versions(serving_directory, "")
    return [version for version in changes.list_served() if version in existing][-keep:]


def remove_candidates_of(serving_directory: str, push_key: str) -> None:
    """Removes the waiting candidates with this push key."""
    for number in list_numbers(serving_directory):
        if read_candidate(serving_directory, number).record.push_key == push_key:
            remove_candidate(serving_directory, number)


def remove_candidate(serving_directory: str, number: str) -> None:
    """Removes a waiting candidate."""
    _remove(serving_directory, waiting_directory("", number))


def make_staging_path(serving_directory: str) -> str:
    """Returns a new path for a copy that is not complete."""
    return os.path.join(serving_directory, f"{_STAGED}{uuid.uuid4().hex}")


def _remove_stale_references(serving_directory: str) -> None:
    """Removes the reference directories of removed versions."""
    references = os.path.join(serving_directory, REFERENCE_DIRECTORY)
    for version in {*_list_names(references)} - {*list_versions(serving_directory)}:
        shutil.rmtree(os.path.join(references, version))


def _remove(serving_directory: str, name: str) -> None:
    """Renames a directory, then deletes it: a kill leaves no half version under its number."""
    staged = make_staging_path(serving_directory)
    os.rename(os.path.join(serving_directory, name), staged)
    shutil.rmtree(staged)


def _list_names(directory: str) -> list[str]:
    """Returns the names in a directory, none if the directory does not exist."""
    try:
        return os.listdir(directory)
    except FileNotFoundError:
        return []
