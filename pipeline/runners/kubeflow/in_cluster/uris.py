"""Addresses of artifacts: Kubeflow names a store, and stages its objects in directories.

TFX would ask the store itself, for which it has no credentials, and past the launcher, which only
keeps what is left in the staging directory.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

_FOLDERS = {"gs": "gcs", "minio": "minio", "s3": "s3"}
_ROOT_VARIABLE = "PIPELINE_STAGING_ROOT"
"""Where the directories are that stand at the root of a container; for runs without one."""


def to_path(uri: str) -> str:
    """The staged path of an object in a store; other addresses stay."""
    scheme, found, key = uri.partition("://")
    return f"{_root()}/{_FOLDERS[scheme]}/{key}" if found and scheme in _FOLDERS else uri


def to_uri(path: str) -> str:
    """The address in the store of a staged path; other paths stay."""
    for scheme, folder in _FOLDERS.items():
        begin = f"{_root()}/{folder}/"
        if path.startswith(begin):
            return f"{scheme}://{path[len(begin) :]}"
    return path


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """The JSON value with `change` applied to each text in it; keys stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [map_texts(item, change) for item in value]
    if isinstance(value, dict):
        return {key: map_texts(item, change) for key, item in value.items()}
    return value


def _root() -> str:
    return os.environ.get(_ROOT_VARIABLE, "").rstrip("/")
