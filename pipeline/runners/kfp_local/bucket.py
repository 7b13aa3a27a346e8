"""The object store, as a directory: keys are paths, and there are no empty directories.

A task sees none of it. What it reads is brought to its staging directory, what it wrote is taken
from there, as Kubeflow's launcher does; whoever reaches for anything else finds nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from pipeline.core.errors import ConfigError

_FOLDERS = {"gs": "gcs", "minio": "minio", "s3": "s3"}
"""Where the launcher stages the objects of a scheme."""


def staged_path(uri: str, staging: Path) -> Path:
    """Where a task finds an object, or leaves it.

    Raises:
      ConfigError: the scheme is none of an object store.
    """
    scheme, _, key = uri.partition("://")
    if scheme not in _FOLDERS or not key:
        raise ConfigError(f"{uri}: artifacts lie under gs://, minio:// or s3://")
    return staging / _FOLDERS[scheme] / key


class Bucket:
    """All buckets of all schemes, below one directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def download(self, uri: str, staging: Path) -> None:
        """Brings an artifact to where the task reads it; of an empty one nothing is there."""
        # A task may write to its inputs; others that read them see nothing of it.
        _copy_files(staged_path(uri, self._directory), staged_path(uri, staging), shutil.copyfile)

    def upload(self, uri: str, staging: Path) -> None:
        """Keeps what the task left; nothing is no mistake."""
        _copy_files(staged_path(uri, staging), staged_path(uri, self._directory), _link_or_copy)


def _copy_files(source: Path, target: Path, bring: Callable[[Path, Path], object]) -> None:
    """For a file, or the files below a directory; empty directories are nothing."""
    files = [source] if source.is_file() else sorted(filter(Path.is_file, source.rglob("*")))
    for file in files:
        place = target / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        bring(file, place)


def _link_or_copy(source: Path, target: Path) -> None:
    """A second name for the same bytes, unless they have others, by which they could be changed."""
    target.unlink(missing_ok=True)
    alone = not source.is_symlink() and source.stat().st_nlink == 1
    try:
        (os.link if alone else shutil.copyfile)(source, target)
    except OSError:
        shutil.copyfile(source, target)
