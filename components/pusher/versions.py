"""Pushes a SavedModel into a directory that a model server watches, and removes old versions.

A push writes the whole version first and then the pointer that names it. Between these steps the
version is pending. If the push is killed in between, the next push removes the pending version, so
that no server keeps a version that no pointer has named.

The caller holds the directory's lock (components/served_model/lock.py) whenever a function here
changes the directory.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Collection, Mapping

from tfx.dsl.io import fileio
from tfx.utils import io_utils

from components.served_model.pointer import read_pointer
from components.served_model.served_record import (
    REFERENCE_DIRECTORY,
    reference_directory,
)
from pipeline.core.contracts import ArtifactFile
from pipeline.core.files import is_staged, sync, sync_tree, write_text_atomically

_STAGED = ".staged-"
_PENDING = ".pending"
_LEFTOVERS = (_STAGED, f"{_PENDING}.", f"{ArtifactFile.SERVED_RECORD}.")
"""The names of a killed push's leftovers begin so: staged directories, and staged files as earlier
releases of this project named them. `is_staged` knows the names of today's staged files."""


def push_version(
    model: str,
    reference: Mapping[str, str],
    serving_directory: str,
    extra: Mapping[str, str] | None = None,
) -> str:
    """Copies the SavedModel at `model` to a new, pending version.

    The copy gets a name that is no number, which model servers ignore, and is renamed when it is
    complete: no server ever loads half a model.

    Args:
      reference: directories to copy to the version's reference directory, by their names there.
      extra: directories to copy into the version, by their paths there.

    Returns:
      The number of the version: the seconds since 1970, or more if a version with this number
      exists.
    """
    remove_unfinished_push(serving_directory)
    version = str(max([int(time.time()), *(int(v) + 1 for v in list_versions(serving_directory))]))
    referred = reference_directory(serving_directory, version)
    staged = _make_staging_path(serving_directory)
    try:
        for name, directory in reference.items():
            io_utils.copy_dir(directory, os.path.join(referred, name))
            sync_tree(os.path.join(referred, name))
        io_utils.copy_dir(model, staged)
        for name, directory in (extra or {}).items():
            io_utils.copy_dir(directory, os.path.join(staged, name))
        sync_tree(staged)
        pending = os.path.join(serving_directory, _PENDING)
        write_text_atomically(pending, version, durable=True)
        fileio.rename(staged, os.path.join(serving_directory, version))
        sync(serving_directory)
    except BaseException:
        for directory in (staged, referred):
            if fileio.exists(directory):
                fileio.rmtree(directory)
        raise
    return version


def confirm_push(serving_directory: str) -> None:
    """Ends the pending state of a version, once the pointer names the version."""
    pending = os.path.join(serving_directory, _PENDING)
    if fileio.exists(pending):
        fileio.remove(pending)


def remove_unfinished_push(serving_directory: str) -> None:
    """Removes the leftovers of a killed push: staged copies, and a version that was never named."""
    pending = os.path.join(serving_directory, _PENDING)
    if fileio.exists(pending):
        with fileio.open(pending, "r") as file:
            version = file.read()
        served = read_pointer(serving_directory)
        if version in list_versions(serving_directory) and (
            not served or served.version != version
        ):
            _remove_version(serving_directory, version)
        fileio.remove(pending)
    for name in _list_names(serving_directory):
        if name.startswith(_LEFTOVERS) or is_staged(name):
            leftover = os.path.join(serving_directory, name)
            (fileio.rmtree if fileio.isdir(leftover) else fileio.remove)(leftover)
    _remove_stale_references(serving_directory)


def list_versions(serving_directory: str) -> list[str]:
    """Returns the versions in the directory, oldest first."""
    return sorted((name for name in _list_names(serving_directory) if name.isdigit()), key=int)


def prune_versions(serving_directory: str, keep: int, needed: Collection[str]) -> None:
    """Removes all but the newest `keep` versions, and keeps each version in `needed`."""
    for version in list_versions(serving_directory)[:-keep]:
        if version not in needed:
            _remove_version(serving_directory, version)
    _remove_stale_references(serving_directory)


def _remove_stale_references(serving_directory: str) -> None:
    """Removes the reference directories of removed versions."""
    references = os.path.join(serving_directory, REFERENCE_DIRECTORY)
    for version in {*_list_names(references)} - {*list_versions(serving_directory)}:
        fileio.rmtree(os.path.join(references, version))


def _remove_version(serving_directory: str, version: str) -> None:
    """Renames the version, then deletes it: a kill leaves no half version under its number."""
    staged = _make_staging_path(serving_directory)
    fileio.rename(os.path.join(serving_directory, version), staged)
    fileio.rmtree(staged)


def _list_names(directory: str) -> list[str]:
    """Returns the names in a directory, none if the directory does not exist."""
    if not fileio.exists(directory):
        return []
    return [name.rstrip("/") for name in fileio.listdir(directory)]


def _make_staging_path(serving_directory: str) -> str:
    return os.path.join(serving_directory, f"{_STAGED}{uuid.uuid4().hex}")
