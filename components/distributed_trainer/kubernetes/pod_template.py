"""Builds the pod template of the Job: the spec of every worker's pod."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from typing import Any

from components.distributed_trainer.kubernetes.affinity import build_affinity
from components.distributed_trainer.kubernetes.api import Object
from components.distributed_trainer.kubernetes.pod_main import CLUSTER_VARIABLE
from components.distributed_trainer.kubernetes.trainer_pod import TrainerPod
from components.supervision.cluster import Cluster
from pipeline.config import WorkersConfig
from pipeline.config.kubernetes.pods import (
    ResourcesConfig,
    ScratchConfig,
    VolumeConfig,
    escape_dollars,
)
from pipeline.config.kubernetes.scheduling import TolerationConfig

CONTAINER = "worker"
JOB_FILE = "job.json"
"""The key in the ConfigMap, and the name of the mounted file."""
PORT = 2222
"""The port of every worker: TensorFlow's usual one. Each pod has an address of its own."""
_JOB_DIRECTORY = "/etc/pipeline-job"
_MESSAGE_FILE = "/dev/termination-log"
_SCRATCH = "/tmp"
_RIGHTS = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""A worker computes, connects to its peers, and writes to volumes. It needs no further right."""
_GRACE_SECONDS = 10
"""Kubernetes kills a pod that takes longer to end. The pod kills its worker after 5 s."""


def build_pod_spec(
    name: str,
    cluster: Cluster,
    trainer_pod: TrainerPod,
    workers: WorkersConfig,
    command: Sequence[str],
) -> dict[str, Any]:
    """Returns the spec of the pods of the Job `name`, which run `command` as their worker."""
    volumes: list[tuple[Object, Object]] = [
        ({"configMap": {"name": name}}, {"mountPath": _JOB_DIRECTORY, "readOnly": True}),
        # A volume, since the root file system is read-only.
        ({"emptyDir": {}}, {"mountPath": _SCRATCH}),
        *map(_build_claim, workers.volumes),
        *map(_build_scratch, workers.scratch),
        *itertools.starmap(_build_config_map, sorted(workers.config_map_files.items())),
        *itertools.starmap(_build_secret, sorted(workers.secret_files.items())),
    ]
    if workers.shared_memory is not None:
        memory: Object = {"medium": "Memory", "sizeLimit": workers.shared_memory}
        volumes.append(({"emptyDir": memory}, {"mountPath": "/dev/shm"}))
    names = [f"volume-{index}" for index in range(len(volumes))]
    mounts = [{"name": n, **mount} for n, (_, mount) in zip(names, volumes, strict=True)]
    optional = {
        "imagePullSecrets": list(trainer_pod.pull_secrets),
        "securityContext": dict(trainer_pod.pod_security),
        "serviceAccountName": workers.service_account,
        "nodeSelector": dict(workers.node_selector),
        "affinity": build_affinity(workers.node_affinity, workers.pod_affinity),
        "tolerations": [_build_toleration(each) for each in workers.tolerations],
    }
    return {
        "restartPolicy": "Never",
        "subdomain": name,
        "terminationGracePeriodSeconds": _GRACE_SECONDS,
        # The workers never call the Kubernetes API.
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "containers": [_build_container(cluster, trainer_pod, workers, mounts, command)],
        "volumes": [{"name": n, **source} for n, (source, _) in zip(names, volumes, strict=True)],
        **{key: value for key, value in optional.items() if value},
    }


def _build_container(
    cluster: Cluster,
    trainer_pod: TrainerPod,
    workers: WorkersConfig,
    mounts: Sequence[Object],
    command: Sequence[str],
) -> dict[str, Any]:
    # Libraries keep their caches below HOME.
    env = {
        "HOME": _SCRATCH,
        **workers.env,
        CLUSTER_VARIABLE: json.dumps(cluster.addresses),
    }
    optional = {
        "envFrom": [{"secretRef": {"name": secret}} for secret in workers.secrets],
        "resources": _build_resources(workers.resources),
    }
    return {
        "name": CONTAINER,
        "image": workers.image or trainer_pod.image,
        "command": ["python", "-m", "components.distributed_trainer.kubernetes.pod_main"],
        "args": [f"{_JOB_DIRECTORY}/{JOB_FILE}", _MESSAGE_FILE, *map(escape_dollars, command)],
        "env": [{"name": name, "value": escape_dollars(value)} for name, value in env.items()],
        "ports": [{"name": "grpc", "containerPort": PORT}],
        "terminationMessagePath": _MESSAGE_FILE,
        "securityContext": {**trainer_pod.container_security, **_RIGHTS},
        "volumeMounts": list(mounts),
        **{key: value for key, value in optional.items() if value},
    }


def _build_claim(volume: VolumeConfig) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the source and the mount of a PersistentVolumeClaim."""
    claim = {"claimName": volume.claim, "readOnly": volume.read_only}
    mount = {"mountPath": volume.path, "readOnly": volume.read_only}
    return {"persistentVolumeClaim": claim}, mount


def _build_scratch(scratch: ScratchConfig) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the source and the mount of an empty volume that lives as long as the pod."""
    mount = {"mountPath": scratch.path}
    if scratch.storage_class is None:
        return {"emptyDir": {"sizeLimit": scratch.size}}, mount
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": scratch.size}},
        "storageClassName": scratch.storage_class,
    }
    return {"ephemeral": {"volumeClaimTemplate": {"spec": spec}}}, mount


def _build_config_map(config_map: str, path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the source and the mount of a ConfigMap whose entries become files."""
    return {"configMap": {"name": config_map}}, {"mountPath": path, "readOnly": True}


def _build_secret(secret: str, path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the source and the mount of a Secret whose entries become files."""
    return {"secret": {"secretName": secret}}, {"mountPath": path, "readOnly": True}


def _build_toleration(toleration: TolerationConfig) -> dict[str, str]:
    operator = "Exists" if toleration.value is None else "Equal"
    fields = {"key": toleration.key, "value": toleration.value, "effect": toleration.effect}
    return {"operator": operator} | {k: v for k, v in fields.items() if v is not None}


def _build_resources(resources: ResourcesConfig) -> dict[str, Any]:
    """Returns limits only: Kubernetes then requests the same amounts, and evicts the pod last."""
    amounts = {
        "cpu": resources.cpu,
        "memory": resources.memory,
        resources.gpu_type: str(resources.gpu) if resources.gpu else None,
    }
    limits = {name: amount for name, amount in amounts.items() if amount is not None}
    return {"limits": limits} if limits else {}
