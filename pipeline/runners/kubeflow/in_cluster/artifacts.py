"""Converts Kubeflow's JSON to TFX artifacts, and back.

TFX has functions for this conversion. Their module imports all TFX components and the whole client
of Kubeflow, which takes half of the start-up time of a small task.
"""

from __future__ import annotations

import hashlib
from typing import Any

import yaml
from ml_metadata.proto import metadata_store_pb2 as mlmd
from tfx import version
from tfx.types import Artifact, artifact_utils, standard_artifacts
from tfx.utils import import_utils

from pipeline.runners.kubeflow.in_cluster.invocation import Json

Artifacts = dict[str, list[Artifact]]

_CUSTOM = "custom:"
"""Prefix of a custom property whose name is also a property of the artifact's type."""
_IDS = 1 << 63
"""Bound of an artifact's id: ML Metadata's ids are signed 64-bit integers."""


def read_artifacts(lists: Json) -> Artifacts:
    """Returns the artifacts of one side of an ExecutorInput, its inputs or its outputs, by name."""
    return {name: [_read_artifact(a) for a in each["artifacts"]] for name, each in lists.items()}


def _read_artifact(runtime_artifact: Json) -> Artifact:
    artifact = _find_class(runtime_artifact["type"])()
    artifact.uri = runtime_artifact["uri"]
    if name := runtime_artifact.get("name"):
        # TFX components identify artifacts by integer ids, Kubeflow by names.
        artifact.id = int(hashlib.sha256(name.encode()).hexdigest(), 16) % _IDS
    for key, value in runtime_artifact.get("metadata", {}).items():
        kind = artifact.artifact_type.properties.get(key)
        if kind is None or not _has_type(kind, value):
            artifact.set_json_value_custom_property(key.removeprefix(_CUSTOM), value)
        else:
            setattr(artifact, key, int(value) if kind == mlmd.INT else value)
    # This clears TFX's cache of JSON values, which would overwrite what the executor sets later.
    artifact.set_mlmd_artifact(artifact.mlmd_artifact)
    return artifact


def _has_type(kind: int, value: Any) -> bool:
    if kind == mlmd.STRING:
        return isinstance(value, str)
    return kind not in (mlmd.INT, mlmd.DOUBLE) or isinstance(value, (int, float))


def _find_class(kind: Json) -> type[Artifact]:
    """Returns the artifact class that the compiler wrote as the schema's title."""
    title = kind.get("schemaTitle") or yaml.safe_load(kind["instanceSchema"])["title"]
    namespace, _, name = title.rpartition(".")
    if namespace == "tfx":
        found: type[Artifact] = getattr(standard_artifacts, name)
        return found
    own: type[Artifact] = import_utils.import_class_by_path(title)
    return own


def write_artifact(artifact: Artifact) -> Json:
    """Returns the artifact in the form that Kubeflow stores, with the version of TFX."""
    tfx_version = artifact_utils.ARTIFACT_TFX_VERSION_CUSTOM_PROPERTY_KEY
    if not artifact.has_custom_property(tfx_version):
        artifact.set_string_custom_property(tfx_version, version.__version__)
    settled = artifact.mlmd_artifact
    own = {key: getattr(artifact, key) for key in settled.properties}
    custom = {
        f"{_CUSTOM}{key}" if key in artifact.artifact_type.properties else key: _read_value(
            artifact, key, value
        )
        for key, value in settled.custom_properties.items()
    }
    return {"uri": artifact.uri, "metadata": {**own, **custom}}


def _read_value(artifact: Artifact, key: str, value: mlmd.Value) -> Any:
    kind = value.WhichOneof("value")
    if kind == "struct_value":
        return artifact.get_json_value_custom_property(key)
    return getattr(value, kind) if kind else None
