"""The second document of the compiled file: Kubernetes settings, such as volumes and secrets.

TFX cannot express them. Kubeflow parses the document with the message types of kfp-kubernetes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from pipeline.config.kubernetes.kubeflow import KubeflowConfig, StorageConfig
from pipeline.config.kubernetes.pods import (
    ScratchConfig,
    SecurityConfig,
    TaskConfig,
    VolumeConfig,
)
from pipeline.config.kubernetes.scheduling import NodeAffinityConfig, TolerationConfig
from pipeline.core.environment import RUN_VARIABLE
from pipeline.runners.kubeflow.compiling.spec import Spec
from pipeline.runners.kubeflow.compiling.task_names import executor_name

_SHARED_MEMORY = "/dev/shm"
_RUN_ID = {"name": RUN_VARIABLE, "fieldPath": "metadata.labels['pipeline/runid']"}
"""The label that Kubeflow gives to all pods of a run. A parameter with the run's id would be a part
of the cache's key, so no task would ever be cached."""


def make_platform_spec(
    nodes: Iterable[str], config: KubeflowConfig, storage: StorageConfig
) -> Spec:
    """Returns the platform document for the tasks of `nodes`; {} for Vertex AI, which has none."""
    if config.platform == "vertex":
        return {}
    executors = {executor_name(node): _make_executor(config.task(node), storage) for node in nodes}
    return {"platforms": {"kubernetes": {"deploymentSpec": {"executors": executors}}}}


def _make_executor(task: TaskConfig, storage: StorageConfig) -> Spec:
    parts: Spec = {
        "pvcMount": [
            {"mountPath": v.path, "constant": v.claim} for v in _list_volumes(task, storage)
        ],
        "secretAsEnv": _make_secrets(task),
        "secretAsVolume": [
            {"mountPath": path, "secretName": secret}
            for secret, path in sorted(task.secret_files.items())
        ],
        "configMapAsVolume": [
            {"mountPath": path, "configMapName": config_map}
            for config_map, path in sorted(task.config_map_files.items())
        ],
        "podMetadata": _make_metadata(task),
        "imagePullSecret": [{"secretName": secret} for secret in task.image_pull_secrets],
        "nodeSelector": {"labels": dict(task.node_selector)} if task.node_selector else None,
        "tolerations": [_make_toleration(toleration) for toleration in task.tolerations],
        "nodeAffinity": [_make_node_affinity(term) for term in task.node_affinity],
        "fieldPathAsEnv": [dict(_RUN_ID)],
        "emptyDirMounts": _make_empty_directories(task),
        "genericEphemeralVolume": _make_ephemeral_volumes(task),
        "securityContext": _make_security_context(task.security_context),
        "imagePullPolicy": task.image_pull_policy,
        "activeDeadlineSeconds": str(task.timeout_seconds) if task.timeout_seconds else None,
    }
    return {name: part for name, part in parts.items() if part}


def _make_metadata(task: TaskConfig) -> Spec:
    metadata = {"labels": dict(task.labels), "annotations": dict(task.annotations)}
    return {name: values for name, values in metadata.items() if values}


def _list_volumes(task: TaskConfig, storage: StorageConfig) -> list[VolumeConfig]:
    return [storage.as_volume(), *task.volumes]


def _make_secrets(task: TaskConfig) -> list[Spec]:
    return [
        {
            "secretName": secret,
            "keyToEnv": [{"secretKey": k, "envVar": v} for k, v in sorted(entries.items())],
        }
        for secret, entries in sorted(task.secrets.items())
    ]


def _make_toleration(toleration: TolerationConfig) -> Spec:
    return {
        "operator": "Equal" if toleration.value is not None else "Exists",
        **toleration.model_dump(exclude_none=True),
    }


def _make_node_affinity(term: NodeAffinityConfig) -> Spec:
    expressions = [
        {"key": each.key, "operator": each.operator} | _given(values=list(each.values))
        for each in term.match
    ]
    return {"matchExpressions": expressions} | _given(weight=term.weight)


def _make_empty_directories(task: TaskConfig) -> list[Spec]:
    mounts = [
        {"volumeName": _scratch_name(scratch), "mountPath": scratch.path, "sizeLimit": scratch.size}
        for scratch in task.scratch
        if scratch.storage_class is None
    ]
    if task.shared_memory is not None:
        memory = {"volumeName": "shared-memory", "mountPath": _SHARED_MEMORY, "medium": "Memory"}
        mounts.append({**memory, "sizeLimit": task.shared_memory})
    return mounts


def _make_ephemeral_volumes(task: TaskConfig) -> list[Spec]:
    return [
        {
            "volumeName": _scratch_name(scratch),
            "mountPath": scratch.path,
            "accessModes": ["ReadWriteOnce"],
            "size": scratch.size,
            "storageClassName": scratch.storage_class,
        }
        for scratch in task.scratch
        if scratch.storage_class is not None
    ]


def _scratch_name(scratch: ScratchConfig) -> str:
    """Returns a name that no other volume of the pod has, since no other is mounted there."""
    return f"scratch-{hashlib.sha256(scratch.path.encode()).hexdigest()[:8]}"


def _make_security_context(security: SecurityConfig) -> Spec:
    """Returns the user, whose ids protobuf's JSON writes as text: they have 64 bits."""
    ids = {"runAsUser": security.run_as_user, "runAsGroup": security.run_as_group}
    context: Spec = {name: str(value) for name, value in ids.items() if value is not None}
    if security.run_as_non_root is not None:
        context["runAsNonRoot"] = security.run_as_non_root
    return context


def _given(**fields: Any) -> Spec:
    return {name: value for name, value in fields.items() if value}
