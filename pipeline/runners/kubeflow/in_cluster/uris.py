"""Maps URIs of artifacts in a store to the directories where Kubeflow's launcher stages them.

Given a URI, TFX would access the store itself. TFX has no credentials for the store, and the
launcher uploads only what it finds in the staging directory.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from pipeline.runners.kubeflow.compiling.required_settings import STAGING_FOLDERS

_ROOT_VARIABLE = "PIPELINE_STAGING_ROOT"
"""Names the parent of the staging directories for a task that runs outside a container. In a
container the staging directories are at the root."""


def to_path(uri: str) -> str:
    """Returns the staged path of an object in a store, and other URIs unchanged."""
    scheme, found, key = uri.partition("://")
    return (
        f"{_read_staging_root()}/{STAGING_FOLDERS[scheme]}/{key}"
        if found and scheme in STAGING_FOLDERS
        else uri
    )


def to_uri(path: str) -> str:
    """Returns the store's URI of a staged path, and other paths unchanged."""
    for scheme, folder in STAGING_FOLDERS.items():
        begin = f"{_read_staging_root()}/{folder}/"
        if path.startswith(begin):
            return f"{scheme}://{path[len(begin) :]}"
    return path


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Returns the JSON value with `change` applied to each string value; keys stay unchanged."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [map_texts(item, change) for item in value]
    if isinstance(value, dict):
        return {key: map_texts(item, change) for key, item in value.items()}
    return value


def _read_staging_root() -> str:
    return os.environ.get(_ROOT_VARIABLE, "").rstrip("/")
