"""What a task tells Kubeflow when it is done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.core.files import write_text_atomically
from pipeline.runners.kubeflow.in_cluster.invocation import Json
from pipeline.runners.kubeflow.in_cluster.uris import map_texts, to_uri


def write_executor_output(path: str, artifacts: Mapping[str, Json]) -> None:
    """Writes the file that the launcher reads: at once, for a part of it would fail the task."""
    told = {name: {"artifacts": [_to_kubeflow(artifact)]} for name, artifact in artifacts.items()}
    write_output(Path(path), json.dumps({"artifacts": told}))


def _to_kubeflow(artifact: Json) -> Json:
    """Under its address in the store, and without nulls, which Kubeflow's metadata refuses."""
    metadata: dict[str, Any] = map_texts(artifact.get("metadata", {}), to_uri)
    given = {key: value for key, value in metadata.items() if value is not None}
    return {**artifact, "uri": to_uri(artifact["uri"]), "metadata": given}


def write_output(path: Path, text: str) -> None:
    """Writes a file for Kubeflow's launcher, which reads the whole file or finds none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text_atomically(path, text, durable=False)
