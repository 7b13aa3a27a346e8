"""Pushing a SavedModel into a directory that a model server watches."""

from __future__ import annotations

import os
import time
import uuid

from tfx.dsl.io import fileio
from tfx.utils import io_utils

_STAGED = ".staged-"


def push_version(model: str, serving_directory: str) -> str:
    """Copies the SavedModel at `model` to a new version and returns the version's number.

    The copy is made beside the versions under a name that is no number, which model servers
    pass over, and renamed when it is complete: no server ever loads half a model.
    """
    fileio.makedirs(serving_directory)
    for leftover in fileio.glob(os.path.join(serving_directory, f"{_STAGED}*")):
        fileio.rmtree(leftover)  # Of a push that was killed; no two push here at once.
    staged = os.path.join(serving_directory, f"{_STAGED}{uuid.uuid4().hex}")
    try:
        io_utils.copy_dir(model, staged)
        version = str(max([int(time.time()), *(int(v) + 1 for v in versions(serving_directory))]))
        fileio.rename(staged, os.path.join(serving_directory, version))
    except BaseException:
        if fileio.exists(staged):
            fileio.rmtree(staged)
        raise
    return version


def versions(serving_directory: str) -> list[str]:
    """The versions in the directory, oldest first."""
    if not fileio.exists(serving_directory):
        return []
    names = (name.rstrip("/") for name in fileio.listdir(serving_directory))
    return sorted((name for name in names if name.isdigit()), key=int)


def prune_versions(serving_directory: str, keep: int, served: str) -> None:
    """Removes all but the newest `keep` versions, never the served one."""
    for version in versions(serving_directory)[:-keep]:
        if version != served:
            fileio.rmtree(os.path.join(serving_directory, version))
