"""Writes what Kubeflow's launcher reads after a task."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.core.files import write_text_atomically
from pipeline.runners.kubeflow.in_cluster.invocation import Json
from pipeline.runners.kubeflow.in_cluster.uris import map_texts, to_uri


def write_executor_output(path: str, artifacts: Mapping[str, Json]) -> None:
    """Writes the output artifacts to the file that the launcher reads.

    The write is atomic: the launcher would fail the task if it read a part of the file.
    """
    lists = {name: {"artifacts": [_to_kubeflow(artifact)]} for name, artifact in artifacts.items()}
    write_output(Path(path), json.dumps({"artifacts": lists}))


def _to_kubeflow(artifact: Json) -> Json:
    """Returns the artifact with URIs of the store and without nulls, which Kubeflow refuses."""
    metadata: dict[str, Any] = map_texts(artifact.get("metadata", {}), to_uri)
    without_nulls = {key: value for key, value in metadata.items() if value is not None}
    return {**artifact, "uri": to_uri(artifact["uri"]), "metadata": without_nulls}


def write_output(path: Path, text: str) -> None:
    """Writes a file for Kubeflow's launcher, which reads the whole file or finds none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text_atomically(path, text, durable=False)
