"""TFX's artifacts from Kubeflow's JSON, and back.

TFX has functions for it, in a module that imports all of its components and the whole client of
Kubeflow: half of the start-up of a small task.
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
"""Before the name of a custom property that is named as one of the type's own."""
_NUMBERS = 1 << 63


def read_artifacts(given: Json) -> Artifacts:
    """The artifacts of one side of an ExecutorInput."""
    return {name: [_read(a) for a in each["artifacts"]] for name, each in given.items()}


def _read(given: Json) -> Artifact:
    artifact = _class_of(given["type"])()
    artifact.uri = given["uri"]
    if name := given.get("name"):
        # Components of TFX go by numbers.
        artifact.id = int(hashlib.sha256(name.encode()).hexdigest(), 16) % _NUMBERS
    for key, value in given.get("metadata", {}).items():
        kind = artifact.artifact_type.properties.get(key)
        if kind is None or not _fits(kind, value):
            artifact.set_json_value_custom_property(key.removeprefix(_CUSTOM), value)
        else:
            setattr(artifact, key, int(value) if kind == mlmd.INT else value)
    # Settles the values, so that what the executor sets is not set back.
    artifact.set_mlmd_artifact(artifact.mlmd_artifact)
    return artifact


def _fits(kind: int, value: Any) -> bool:
    if kind == mlmd.STRING:
        return isinstance(value, str)
    return kind not in (mlmd.INT, mlmd.DOUBLE) or isinstance(value, (int, float))


def _class_of(kind: Json) -> type[Artifact]:
    """The class that the compiler has written down as a title."""
    title = kind.get("schemaTitle") or yaml.safe_load(kind["instanceSchema"])["title"]
    namespace, _, name = title.rpartition(".")
    if namespace == "tfx":
        found: type[Artifact] = getattr(standard_artifacts, name)
        return found
    own: type[Artifact] = import_utils.import_class_by_path(title)
    return own


def write_artifact(artifact: Artifact) -> Json:
    """The artifact as Kubeflow keeps it, with the version of TFX that made it."""
    tfx_version = artifact_utils.ARTIFACT_TFX_VERSION_CUSTOM_PROPERTY_KEY
    if not artifact.has_custom_property(tfx_version):
        artifact.set_string_custom_property(tfx_version, version.__version__)
    settled = artifact.mlmd_artifact
    own = {key: getattr(artifact, key) for key in settled.properties}
    custom = {
        f"{_CUSTOM}{key}" if key in artifact.artifact_type.properties else key: _value(
            artifact, key, value
        )
        for key, value in settled.custom_properties.items()
    }
    return {"uri": artifact.uri, "metadata": {**own, **custom}}


def _value(artifact: Artifact, key: str, value: mlmd.Value) -> Any:
    kind = value.WhichOneof("value")
    if kind == "struct_value":
        return artifact.get_json_value_custom_property(key)
    return getattr(value, kind) if kind else None
