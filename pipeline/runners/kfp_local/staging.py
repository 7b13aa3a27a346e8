"""The staging directory of one attempt of a task.

A container may run as another user, whose files the executor may be unable to remove. So each
attempt makes a new directory, and a directory that cannot be removed stays behind unused.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from pipeline.runners.kfp_local.starters import STAGED, Starter


class Staging:
    """The staging directories of all attempts, below one directory for this user only."""

    def __init__(self, parent: Path, starter: Starter) -> None:
        self._parent = make_private(parent)
        self._starter = starter

    @contextlib.contextmanager
    def attempt(self) -> Iterator[Path]:
        """Makes a staging directory for one attempt, and removes it afterwards."""
        directory = self._make_next()
        for name in STAGED:
            (directory / name).mkdir()
        try:
            yield directory
        finally:
            self._remove(directory)

    def remove_leftovers(self) -> None:
        """Removes the staging directories of runs that were killed."""
        for directory in self._parent.iterdir():
            self._remove(directory)

    def make_readable(self, directory: Path) -> None:
        """Makes all files of the task readable for this process, if the task's user can do so."""
        if not _is_readable(directory):
            self._starter.release(directory)

    def _make_next(self) -> Path:
        """Makes the directory with the lowest free number.

        All tasks get the same path as long as nothing stays behind, as all pods have the same root:
        a Trainer that is retried finds its backup by the paths of its inputs.
        """
        paths = (self._parent / str(number) for number in itertools.count())
        directory = next(path for path in paths if not os.path.lexists(path))
        directory.mkdir(mode=0o700)
        return directory

    def _remove(self, directory: Path) -> None:
        shutil.rmtree(directory, ignore_errors=True)
        if directory.exists():
            self._starter.release(directory)
            shutil.rmtree(directory, ignore_errors=True)
        if directory.exists():
            logging.warning(
                "%s cannot be removed: a container's user may own files in it. No later task "
                "reads these files. Remove the directory as root.",
                directory,
            )


def make_private(directory: Path) -> Path:
    """Makes the directory, closes it to other users, and returns it."""
    directory.mkdir(parents=True, exist_ok=True)
    directory.chmod(0o700)
    return directory


def _is_readable(directory: Path) -> bool:
    """Whether this process can read all files below the directory."""
    return all(
        os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0))
        for folder, folders, files in os.walk(directory)
        for path in (Path(folder, name) for name in (*folders, *files))
        if not path.is_symlink()
    )
