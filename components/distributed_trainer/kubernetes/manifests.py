"""What is asked of Kubernetes for one attempt: a Job, the names of its pods, and their job.

One Indexed Job holds all pods, whatever their task; a headless Service gives each a name that the
others can look up before it answers. The Job leaves failures to the supervisor: it replaces no pod
and ends none because of another, which would hide the first cause. It owns the rest and is owned by
the Trainer's pod, so that nothing outlives its owner.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from components.distributed_trainer.cluster import Cluster
from components.distributed_trainer.kubernetes.api import Object
from components.distributed_trainer.kubernetes.pod import CLUSTER_VARIABLE
from pipeline.config import ConfigError, WorkersConfig
from pipeline.config.kubernetes import ResourcesConfig, TolerationConfig, VolumeConfig

CONTAINER = "worker"
TRAINING_LABEL = "tfx-production-training/training"
JOB_LABEL = "batch.kubernetes.io/job-name"
"""Set by Kubernetes on the pods of a Job."""
_PORT = 2222
_JOB_DIRECTORY = "/etc/pipeline-job"
_JOB_FILE = "job.json"
_MESSAGE_FILE = "/dev/termination-log"
_GRACE_SECONDS = 10
"""More than the worker itself is given."""
_KEPT_SECONDS = 600
"""How long a Job stays that ended when nobody was there to delete it."""
_MOST_BYTES = 1_000_000
"""Kubernetes takes a little more, but no ConfigMap above 1 MiB."""
_DIGEST = re.compile(r"^(?:[a-z-]+://)?(?P<image>[^@]+@sha256:[0-9a-f]{64})$")


@dataclass(frozen=True)
class Home:
    """The Trainer's own pod, and what the workers take over from it."""

    name: str
    uid: str
    image: str
    pull_secrets: Sequence[Object] = ()
    pod_security: Object = field(default_factory=dict)
    """With it the user and the group of files, which all who share a volume need alike."""
    container_security: Object = field(default_factory=dict)

    @classmethod
    def of_pod(cls, pod: Object) -> Home:
        """What the pod's own JSON says; in pods of Kubeflow the task's container is `main`."""
        spec = pod["spec"]
        container = next((c for c in spec["containers"] if c["name"] == "main"), None)
        container = container or spec["containers"][0]
        return cls(
            pod["metadata"]["name"],
            pod["metadata"]["uid"],
            _pinned(container, pod.get("status", {}).get("containerStatuses", [])),
            spec.get("imagePullSecrets", ()),
            spec.get("securityContext", {}),
            container.get("securityContext", {}),
        )


def _pinned(container: Object, statuses: Sequence[Object]) -> str:
    """The image by its digest; one that no registry has is known by its name only."""
    for status in statuses:
        found = _DIGEST.match(status.get("imageID", "")) if _same(status, container) else None
        if found:
            return found["image"]
    return str(container["image"])


def _same(status: Object, container: Object) -> bool:
    return bool(status["name"] == container["name"])


def pod_cluster(name: str, tasks: Mapping[str, int]) -> Cluster:
    """The addresses of the pods of the Job `name`, in the order of their indices."""
    hosts = (f"{name}-{index}.{name}:{_PORT}" for index in itertools.count())
    return Cluster({t: tuple(itertools.islice(hosts, count)) for t, count in tasks.items()})


def job_manifest(
    name: str,
    training: str,
    cluster: Cluster,
    home: Home,
    workers: WorkersConfig,
    command: Sequence[str] = (),
) -> dict[str, Any]:
    """The Job; it waits for the objects that are created after it, since it owns them."""
    count = len(cluster.tasks)
    labels = {TRAINING_LABEL: training}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "labels": labels,
            "ownerReferences": [_owner("v1", "Pod", home.name, home.uid)],
        },
        "spec": {
            "completionMode": "Indexed",
            "completions": count,
            "parallelism": count,
            # A pod that was replaced alone would wait for peers that wait for the one before it.
            "backoffLimitPerIndex": 0,
            "podReplacementPolicy": "Failed",
            "activeDeadlineSeconds": workers.abandoned_seconds,
            "ttlSecondsAfterFinished": _KEPT_SECONDS,
            "template": {
                "metadata": {
                    # A service mesh's proxy would stay when the worker has ended.
                    "labels": {**labels, "sidecar.istio.io/inject": "false"},
                    "annotations": {"sidecar.istio.io/inject": "false"},
                },
                "spec": _pod(name, cluster, home, workers, command),
            },
        },
    }


def service_manifest(name: str, job: Object) -> dict[str, Any]:
    """The Service that names the pods."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _owned(name, job),
        "spec": {
            "clusterIP": "None",
            # No worker is ready before it has reached the others.
            "publishNotReadyAddresses": True,
            "selector": {JOB_LABEL: name},
            "ports": [{"name": "grpc", "port": _PORT}],
        },
    }


def config_map_manifest(name: str, job: Object, line: str) -> dict[str, Any]:
    """What the workers are to do. It holds no secrets: the configuration refuses them.

    Raises:
      ConfigError: it is more than Kubernetes takes.
    """
    size = len(line.encode())
    if size > _MOST_BYTES:
        raise ConfigError(
            f"the workers' job takes {size:,} bytes, and Kubernetes carries {_MOST_BYTES:,}",
            "shorten `features`, such as long lists of values",
        )
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _owned(name, job),
        "data": {_JOB_FILE: line},
        "immutable": True,
    }


def _owned(name: str, job: Object) -> dict[str, Any]:
    owner = _owner("batch/v1", "Job", job["metadata"]["name"], job["metadata"]["uid"])
    return {"name": name, "ownerReferences": [owner]}


def _owner(version: str, kind: str, name: str, uid: str) -> dict[str, str]:
    return {"apiVersion": version, "kind": kind, "name": name, "uid": uid}


def _pod(
    name: str, cluster: Cluster, home: Home, workers: WorkersConfig, command: Sequence[str]
) -> dict[str, Any]:
    volumes: list[tuple[Object, Object]] = [
        ({"configMap": {"name": name}}, {"mountPath": _JOB_DIRECTORY, "readOnly": True}),
        # The image's own may be read-only.
        ({"emptyDir": {}}, {"mountPath": "/tmp"}),
        *map(_claimed, workers.volumes),
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
        "command": ["python", "-m", "components.distributed_trainer.kubernetes.pod"],
        "args": [f"{_JOB_DIRECTORY}/{_JOB_FILE}", _MESSAGE_FILE, *command],
        # `$(NAME)` would be replaced.
        "env": [{"name": n, "value": v.replace("$(", "$$(")} for n, v in env.items()],
        "ports": [{"name": "grpc", "containerPort": _PORT}],
        "terminationMessagePath": _MESSAGE_FILE,
        "volumeMounts": list(mounts),
        **{key: value for key, value in optional.items() if value},
    }


def _claimed(volume: VolumeConfig) -> tuple[dict[str, Any], dict[str, Any]]:
    claim = {"claimName": volume.claim, "readOnly": volume.read_only}
    mount = {"mountPath": volume.path, "readOnly": volume.read_only}
    return {"persistentVolumeClaim": claim}, mount


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
