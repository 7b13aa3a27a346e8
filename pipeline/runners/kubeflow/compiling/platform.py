"""The second document of the file: what only Kubernetes knows of, such as volumes and secrets.

TFX has no words for it; Kubeflow reads it by the types of kfp-kubernetes.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.config.kubernetes.kubeflow import KubeflowConfig, StorageConfig
from pipeline.config.kubernetes.pods import TaskConfig, TolerationConfig, VolumeConfig
from pipeline.runners.kubeflow.compiling.spec import Spec
from pipeline.runners.kubeflow.compiling.task_names import executor_name

_SHARED_MEMORY = "/dev/shm"


def make_platform_spec(
    nodes: Iterable[str], config: KubeflowConfig, storage: StorageConfig
) -> Spec:
    """The document, for the components `nodes`."""
    executors = {executor_name(node): _executor(config.task(node), storage) for node in nodes}
    return {"platforms": {"kubernetes": {"deploymentSpec": {"executors": executors}}}}


def _executor(task: TaskConfig, storage: StorageConfig) -> Spec:
    parts: Spec = {
        "pvcMount": [{"mountPath": v.path, "constant": v.claim} for v in _volumes(task, storage)],
        "secretAsEnv": _secrets(task),
        "secretAsVolume": [
            {"mountPath": path, "secretName": secret}
            for secret, path in sorted(task.secret_files.items())
        ],
        "nodeSelector": {"labels": dict(task.node_selector)} if task.node_selector else None,
        "tolerations": [_toleration(toleration) for toleration in task.tolerations],
        "emptyDirMounts": _shared_memory(task),
        "imagePullPolicy": task.image_pull_policy,
        "activeDeadlineSeconds": str(task.timeout_seconds) if task.timeout_seconds else None,
    }
    return {name: part for name, part in parts.items() if part}


def _volumes(task: TaskConfig, storage: StorageConfig) -> list[VolumeConfig]:
    return [VolumeConfig(claim=storage.claim, path=storage.path), *task.volumes]


def _secrets(task: TaskConfig) -> list[Spec]:
    return [
        {
            "secretName": secret,
            "keyToEnv": [{"secretKey": k, "envVar": v} for k, v in sorted(entries.items())],
        }
        for secret, entries in sorted(task.secrets.items())
    ]


def _toleration(toleration: TolerationConfig) -> Spec:
    return {
        "operator": "Equal" if toleration.value is not None else "Exists",
        **toleration.model_dump(exclude_none=True),
    }


def _shared_memory(task: TaskConfig) -> list[Spec]:
    if task.shared_memory is None:
        return []
    mount = {"volumeName": "shared-memory", "mountPath": _SHARED_MEMORY, "medium": "Memory"}
    return [{**mount, "sizeLimit": task.shared_memory}]
