"""The object store, as a directory: keys are paths, and there are no empty directories.

A task sees none of it. What it reads is brought to its staging directory, what it wrote is taken
from there, as Kubeflow's launcher does; whoever reaches for anything else finds nothing.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from pipeline.config import ConfigError

_FOLDERS = {"gs": "gcs", "minio": "minio", "s3": "s3"}
"""Where the launcher stages the objects of a scheme."""


def staged(uri: str, staging: Path) -> Path:
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
        _copy_all(staged(uri, self._directory), staged(uri, staging))

    def upload(self, uri: str, staging: Path) -> None:
        """Keeps what the task left; nothing is no mistake."""
        _copy_all(staged(uri, staging), staged(uri, self._directory))


def _copy_all(source: Path, target: Path) -> None:
    """A file, or the files below a directory; empty directories are nothing."""
    if source.is_file():
        _copy(source, target)
    for path in sorted(source.rglob("*")):
        if path.is_file():
            _copy(path, target / path.relative_to(source))


def _copy(source: Path, target: Path) -> None:
    """A second name for the same bytes where the file system can do that."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
