"""The object store as a directory: keys are paths, and empty directories do not exist.

A task does not see the store. Like Kubeflow's launcher, this module copies a task's inputs to the
staging directory of the task, and its outputs from there. A task finds no other artifacts.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

from pipeline.core.errors import ConfigError

_FOLDERS = {"gs": "gcs", "minio": "minio", "s3": "s3"}
"""By URI scheme: the staging directory of the launcher."""


def staged_path(uri: str, staging: Path) -> Path:
    """Returns the path below `staging` where a task reads or writes the object.

    Raises:
      ConfigError: the URI has no scheme of an object store.
    """
    scheme, _, key = uri.partition("://")
    if scheme not in _FOLDERS or not key:
        raise ConfigError(f"{uri}: artifacts need a URI under gs://, minio:// or s3://")
    return staging / _FOLDERS[scheme] / key


class Bucket:
    """All buckets of all schemes, stored below one directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def download(self, uri: str, staging: Path) -> None:
        """Copies an artifact to the staging directory; an empty artifact has no files there."""
        # Copies, not links: a task may write to its inputs, and other tasks must not see that.
        _copy_files(staged_path(uri, self._directory), staged_path(uri, staging), shutil.copyfile)

    def upload(self, uri: str, staging: Path) -> None:
        """Stores the files that the task wrote for an artifact; there may be none."""
        _copy_files(staged_path(uri, staging), staged_path(uri, self._directory), _link_or_copy)


def _copy_files(source: Path, target: Path, copy: Callable[[Path, Path], object]) -> None:
    """Copies a file, or all files below a directory, with `copy`; leaves out empty directories."""
    for file in _list_files(source):
        destination = target / file.relative_to(source)
        destination.parent.mkdir(parents=True, exist_ok=True)
        copy(file, destination)


def _list_files(source: Path) -> list[Path]:
    """Returns the file, or all files below the directory.

    Raises:
      PermissionError: a directory cannot be read. `Path.rglob` would leave out its files.
    """
    if source.is_file():
        return [source]
    walk = os.walk(source, onerror=_raise_unless_missing)
    files = [Path(folder, name) for folder, _, names in walk for name in names]
    return sorted(filter(Path.is_file, files))


def _raise_unless_missing(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def _link_or_copy(source: Path, target: Path) -> None:
    """Hard-links the file, or copies it if others may change it: by another name, or by a right."""
    target.unlink(missing_ok=True)
    status = source.lstat()
    is_own = status.st_uid == os.geteuid() and not status.st_mode & stat.S_IWOTH
    has_one_name = stat.S_ISREG(status.st_mode) and status.st_nlink == 1
    try:
        (os.link if is_own and has_one_name else shutil.copyfile)(source, target)
    except OSError:
        shutil.copyfile(source, target)
