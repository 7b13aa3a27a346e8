"""What a task tells Kubeflow when it is done."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.runners.kubeflow.in_cluster.invocation import Json
from pipeline.runners.kubeflow.in_cluster.uris import in_all_texts, to_uri


def write_executor_output(path: str, artifacts: Mapping[str, Json]) -> None:
    """Writes the file that the launcher reads: at once, for a part of it would fail the task."""
    told = {name: {"artifacts": [_for_kubeflow(artifact)]} for name, artifact in artifacts.items()}
    write_at_once(Path(path), json.dumps({"artifacts": told}))


def _for_kubeflow(artifact: Json) -> Json:
    """Under its address in the store, and without nulls, which Kubeflow's metadata refuses."""
    metadata: dict[str, Any] = in_all_texts(artifact.get("metadata", {}), to_uri)
    given = {key: value for key, value in metadata.items() if value is not None}
    return {**artifact, "uri": to_uri(artifact["uri"]), "metadata": given}


def write_at_once(path: Path, text: str) -> None:
    """Readers see the whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
    staged.write_text(text, encoding="utf-8")
    os.replace(staged, path)
