"""What is asked of Kubernetes for one attempt: a Job, the names of its pods, and their job.

One Indexed Job holds all pods, whatever their task; a headless Service gives each a name that the
others can look up before it answers. The Job leaves failures to the supervisor: it replaces no pod
and ends none because of another, which would hide the first cause. It owns the rest and is owned by
the Trainer's pod, so that nothing outlives its owner.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from components.distributed_trainer.kubernetes.api import Object
from components.distributed_trainer.kubernetes.pod_template import JOB_FILE, PORT, pod_template
from components.distributed_trainer.kubernetes.trainer_pod import Home
from components.supervision.cluster import Cluster
from pipeline.config import WorkersConfig
from pipeline.core.errors import ConfigError

TRAINING_LABEL = "tfx-production-training/training"
JOB_LABEL = "batch.kubernetes.io/job-name"
"""Set by Kubernetes on the pods of a Job."""
_KEPT_SECONDS = 600
"""How long a Job stays that ended when nobody was there to delete it."""
_MOST_BYTES = 1_000_000
"""Kubernetes takes a little more, but no ConfigMap above 1 MiB."""


def pod_cluster(name: str, tasks: Mapping[str, int]) -> Cluster:
    """The addresses of the pods of the Job `name`, in the order of their indices."""
    hosts = (f"{name}-{index}.{name}:{PORT}" for index in itertools.count())
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
                "spec": pod_template(name, cluster, home, workers, command),
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
            "ports": [{"name": "grpc", "port": PORT}],
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
        "data": {JOB_FILE: line},
        "immutable": True,
    }


def _owned(name: str, job: Object) -> dict[str, Any]:
    owner = _owner("batch/v1", "Job", job["metadata"]["name"], job["metadata"]["uid"])
    return {"name": name, "ownerReferences": [owner]}


def _owner(version: str, kind: str, name: str, uid: str) -> dict[str, str]:
    return {"apiVersion": version, "kind": kind, "name": name, "uid": uid}
