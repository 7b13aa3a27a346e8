"""Pushing a SavedModel into a directory that a model server watches.

The version first, whole, then the pointer that names it. Between the two the version is pending:
a push that was killed there is taken back, so that no server keeps what nobody named.

Whatever changes the directory is called while it is held: see served_model.lock.
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
"""Staged directories, and the staged files of versions before `is_staged` knew their names."""


def push_version(model: str, reference: Mapping[str, str], serving_directory: str) -> str:
    """Copies the SavedModel at `model` to a new, pending version; returns the version's number.

    The directories of `reference` become its reference, under their names there.

    The copy is made beside the versions under a name that is no number, which model servers
    pass over, and renamed when it is complete: no server ever loads half a model.
    """
    remove_unfinished_push(serving_directory)
    version = str(max([int(time.time()), *(int(v) + 1 for v in list_versions(serving_directory))]))
    referred, staged = reference_directory(serving_directory, version), _staged(serving_directory)
    try:
        for name, directory in reference.items():
            io_utils.copy_dir(directory, os.path.join(referred, name))
            sync_tree(os.path.join(referred, name))
        io_utils.copy_dir(model, staged)
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
    """The pointer names the version: it is no longer pending."""
    pending = os.path.join(serving_directory, _PENDING)
    if fileio.exists(pending):
        fileio.remove(pending)


def remove_unfinished_push(serving_directory: str) -> None:
    """Removes what a killed push left."""
    pending = os.path.join(serving_directory, _PENDING)
    if fileio.exists(pending):
        with fileio.open(pending, "r") as file:
            version = file.read()
        served = read_pointer(serving_directory)
        if version in list_versions(serving_directory) and (
            not served or served.version != version
        ):
            _remove(serving_directory, version)
        fileio.remove(pending)
    for name in _names(serving_directory):
        if name.startswith(_LEFTOVERS) or is_staged(name):
            leftover = os.path.join(serving_directory, name)
            (fileio.rmtree if fileio.isdir(leftover) else fileio.remove)(leftover)
    _sweep_references(serving_directory)


def list_versions(serving_directory: str) -> list[str]:
    """The versions in the directory, oldest first."""
    return sorted((name for name in _names(serving_directory) if name.isdigit()), key=int)


def prune_versions(serving_directory: str, keep: int, needed: Collection[str]) -> None:
    """Removes all but the newest `keep` versions, never one of the `needed`."""
    for version in list_versions(serving_directory)[:-keep]:
        if version not in needed:
            _remove(serving_directory, version)
    _sweep_references(serving_directory)


def _sweep_references(serving_directory: str) -> None:
    """Removes the references of versions that are no more."""
    references = os.path.join(serving_directory, REFERENCE_DIRECTORY)
    for version in {*_names(references)} - {*list_versions(serving_directory)}:
        fileio.rmtree(os.path.join(references, version))


def _remove(serving_directory: str, version: str) -> None:
    """At once: were it only deleted, a kill could leave a part under the version's number."""
    staged = _staged(serving_directory)
    fileio.rename(os.path.join(serving_directory, version), staged)
    fileio.rmtree(staged)


def _names(directory: str) -> list[str]:
    """What is in a directory; nothing, where there is none."""
    if not fileio.exists(directory):
        return []
    return [name.rstrip("/") for name in fileio.listdir(directory)]


def _staged(serving_directory: str) -> str:
    return os.path.join(serving_directory, f"{_STAGED}{uuid.uuid4().hex}")
