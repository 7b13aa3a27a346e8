"""Whether a directory still holds the files it was left with; on any file system."""

from __future__ import annotations

import os
from collections.abc import Mapping

import tensorflow as tf
from tfx.dsl.io import fileio


def file_sizes(directory: str) -> dict[str, int]:
    """The bytes of each file below `directory`, by its path relative to it."""
    paths = (os.path.join(parent, n) for parent, _, names in fileio.walk(directory) for n in names)
    return {os.path.relpath(path, directory): int(tf.io.gfile.stat(path).length) for path in paths}


def holds(directory: str, sizes: Mapping[str, int]) -> bool:
    """Whether no file was lost or cut; files that came later do not matter."""
    return fileio.exists(directory) and sizes.items() <= file_sizes(directory).items()
