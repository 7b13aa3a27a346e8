"""Builds the manifests of one attempt: an Indexed Job and the objects that its pods need.

The Job has one pod for each task. The NetworkPolicy keeps all other pods out. The headless Service
gives each pod a name that its peers can look up before the pod answers. The ConfigMap holds the
line of JSON for the workers. The Job leaves failures to the supervisor: it replaces no pod, and
ends no pod because another one failed, which would hide the first cause. The Job owns the other
objects, and the Trainer's pod owns the Job, so Kubernetes deletes all of them with the Trainer's
pod.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from components.distributed_trainer.kubernetes.api import Object
from components.distributed_trainer.kubernetes.pod_template import JOB_FILE, PORT, build_pod_spec
from components.distributed_trainer.kubernetes.trainer_pod import TrainerPod
from components.supervision.cluster import Cluster
from pipeline.config import WorkersConfig
from pipeline.core.errors import ConfigError

TRAINING_LABEL = "tfx-production-training/training"
"""The label with the key of the training, by which a later Trainer finds leftover Jobs."""
JOB_LABEL = "batch.kubernetes.io/job-name"
"""Kubernetes sets this label on the pods of a Job."""
_KEPT_SECONDS = 600
"""How long Kubernetes keeps an ended Job whose Trainer was killed: time to look at its pods."""
_MOST_BYTES = 1_000_000
"""The most bytes of the job's line. Kubernetes rejects a ConfigMap above 1 MiB, which also counts
the key."""


def make_pod_cluster(name: str, tasks: Mapping[str, int]) -> Cluster:
    """Returns the addresses of the pods of the Job `name`, in the order of their indices."""
    hosts = (f"{name}-{index}.{name}:{PORT}" for index in itertools.count())
    return Cluster({t: tuple(itertools.islice(hosts, count)) for t, count in tasks.items()})


def build_job(
    name: str,
    training: str,
    cluster: Cluster,
    trainer_pod: TrainerPod,
    workers: WorkersConfig,
    command: Sequence[str] = (),
) -> dict[str, Any]:
    """Returns the Job. Its pods wait until the ConfigMap exists, which the Job owns.

    `training` is the key of the training; `command` replaces the worker's command, for tests.
    """
    count = len(cluster.tasks)
    labels = {**workers.labels, TRAINING_LABEL: training}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "labels": labels,
            "ownerReferences": [
                _build_owner("v1", "Pod", trainer_pod.name, trainer_pod.uid),
            ],
        },
        "spec": {
            "completionMode": "Indexed",
            "completions": count,
            "parallelism": count,
            # No replacement: it would wait for peers that still wait for its predecessor.
            "backoffLimitPerIndex": 0,
            "podReplacementPolicy": "Failed",
            "activeDeadlineSeconds": workers.abandoned_seconds,
            "ttlSecondsAfterFinished": _KEPT_SECONDS,
            "template": {
                "metadata": {
                    # Istio's proxy container would keep the pod running after the worker's end.
                    "labels": {**labels, "sidecar.istio.io/inject": "false"},
                    "annotations": {**workers.annotations, "sidecar.istio.io/inject": "false"},
                },
                "spec": build_pod_spec(name, cluster, trainer_pod, workers, command),
            },
        },
    }


def build_service(name: str, job: Object) -> dict[str, Any]:
    """Returns the headless Service that gives each pod of the Job a name in DNS."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _build_metadata(name, job),
        "spec": {
            "clusterIP": "None",
            # A worker needs its peers' names before any of them is ready.
            "publishNotReadyAddresses": True,
            "selector": {JOB_LABEL: name},
            "ports": [{"name": "grpc", "port": PORT}],
        },
    }


def build_network_policy(name: str, job: Object) -> dict[str, Any]:
    """Returns the NetworkPolicy by which only the Job's own pods reach the Job's pods.

    A worker's gRPC server knows no password: whoever reaches it runs code with the pod's rights.
    """
    pods = {"matchLabels": {JOB_LABEL: name}}
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": _build_metadata(name, job),
        "spec": {
            "podSelector": pods,
            "policyTypes": ["Ingress"],
            # All ports: NCCL connects the GPUs of two pods on ports that it chooses.
            "ingress": [{"from": [{"podSelector": pods}]}],
        },
    }


def build_config_map(name: str, job: Object, line: str) -> dict[str, Any]:
    """Returns the ConfigMap with the workers' job. The configuration rejects secrets in `line`.

    Raises:
      ConfigError: the line is too long for a ConfigMap.
    """
    size = len(line.encode())
    if size > _MOST_BYTES:
        raise ConfigError(
            f"the workers' job takes {size:,} bytes, but a ConfigMap holds {_MOST_BYTES:,}",
            "shorten `features`, such as long lists of values",
        )
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _build_metadata(name, job),
        "data": {JOB_FILE: line},
        "immutable": True,
    }


def _build_metadata(name: str, job: Object) -> dict[str, Any]:
    """Returns the metadata of an object that the Job owns."""
    owner = _build_owner("batch/v1", "Job", job["metadata"]["name"], job["metadata"]["uid"])
    return {"name": name, "ownerReferences": [owner]}


def _build_owner(version: str, kind: str, name: str, uid: str) -> dict[str, str]:
    return {"apiVersion": version, "kind": kind, "name": name, "uid": uid}
