"""The pod of a worker, as the Job is to make it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from typing import Any

from components.distributed_trainer.kubernetes.api import Object
from components.distributed_trainer.kubernetes.pod_main import CLUSTER_VARIABLE
from components.distributed_trainer.kubernetes.trainer_pod import Home
from components.supervision.cluster import Cluster
from pipeline.config import WorkersConfig
from pipeline.config.kubernetes.pods import (
    ResourcesConfig,
    TolerationConfig,
    VolumeConfig,
    escape_dollars,
)

CONTAINER = "worker"
JOB_FILE = "job.json"
"""The key of the ConfigMap, and the file that it becomes."""
PORT = 2222
_JOB_DIRECTORY = "/etc/pipeline-job"
_MESSAGE_FILE = "/dev/termination-log"
_GRACE_SECONDS = 10
"""More than the worker itself is given."""


def pod_template(
    name: str, cluster: Cluster, home: Home, workers: WorkersConfig, command: Sequence[str]
) -> dict[str, Any]:
    """The spec of the pods of the Job `name`."""
    volumes: list[tuple[Object, Object]] = [
        ({"configMap": {"name": name}}, {"mountPath": _JOB_DIRECTORY, "readOnly": True}),
        # The image's own may be read-only.
        ({"emptyDir": {}}, {"mountPath": "/tmp"}),
        *map(_claimed, workers.volumes),
        *itertools.starmap(_secret, sorted(workers.secret_files.items())),
    ]
    if workers.shared_memory is not None:
        memory: Object = {"medium": "Memory", "sizeLimit": workers.shared_memory}
        volumes.append(({"emptyDir": memory}, {"mountPath": "/dev/shm"}))
    names = [f"volume-{index}" for index in range(len(volumes))]
    mounts = [{"name": n, **mount} for n, (_, mount) in zip(names, volumes, strict=True)]
    optional = {
        "imagePullSecrets": list(home.pull_secrets),
        "securityContext": dict(home.pod_security),
        "serviceAccountName": workers.service_account,
        "nodeSelector": dict(workers.node_selector),
        "tolerations": [_toleration(each) for each in workers.tolerations],
    }
    return {
        "restartPolicy": "Never",
        "subdomain": name,
        "terminationGracePeriodSeconds": _GRACE_SECONDS,
        # They ask nothing of Kubernetes.
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "containers": [_container(cluster, home, workers, mounts, command)],
        "volumes": [{"name": n, **source} for n, (source, _) in zip(names, volumes, strict=True)],
        **{key: value for key, value in optional.items() if value},
    }


def _container(
    cluster: Cluster,
    home: Home,
    workers: WorkersConfig,
    mounts: Sequence[Object],
    command: Sequence[str],
) -> dict[str, Any]:
    env = {**workers.env, CLUSTER_VARIABLE: json.dumps(cluster.addresses)}
    optional = {
        "securityContext": dict(home.container_security),
        "envFrom": [{"secretRef": {"name": secret}} for secret in workers.secrets],
        "resources": _resources(workers.resources),
    }
    return {
        "name": CONTAINER,
        "image": workers.image or home.image,
        "command": ["python", "-m", "components.distributed_trainer.kubernetes.pod_main"],
        "args": [f"{_JOB_DIRECTORY}/{JOB_FILE}", _MESSAGE_FILE, *map(escape_dollars, command)],
        "env": [{"name": name, "value": escape_dollars(value)} for name, value in env.items()],
        "ports": [{"name": "grpc", "containerPort": PORT}],
        "terminationMessagePath": _MESSAGE_FILE,
        "volumeMounts": list(mounts),
        **{key: value for key, value in optional.items() if value},
    }


def _claimed(volume: VolumeConfig) -> tuple[dict[str, Any], dict[str, Any]]:
    claim = {"claimName": volume.claim, "readOnly": volume.read_only}
    mount = {"mountPath": volume.path, "readOnly": volume.read_only}
    return {"persistentVolumeClaim": claim}, mount


def _secret(secret: str, path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"secret": {"secretName": secret}}, {"mountPath": path, "readOnly": True}


def _toleration(toleration: TolerationConfig) -> dict[str, str]:
    operator = "Exists" if toleration.value is None else "Equal"
    fields = {"key": toleration.key, "value": toleration.value, "effect": toleration.effect}
    return {"operator": operator} | {k: v for k, v in fields.items() if v is not None}


def _resources(resources: ResourcesConfig) -> dict[str, Any]:
    """Limits alone: what is requested is then the same, and such pods are evicted last."""
    amounts = {
        "cpu": resources.cpu,
        "memory": resources.memory,
        resources.gpu_type: str(resources.gpu) if resources.gpu else None,
    }
    limits = {name: amount for name, amount in amounts.items() if amount is not None}
    return {"limits": limits} if limits else {}
