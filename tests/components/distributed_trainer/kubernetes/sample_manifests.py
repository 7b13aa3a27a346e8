"""Manifests of a Job with all settings and with none."""

from __future__ import annotations

from typing import Any

from fake_cluster import IMAGE

from components.distributed_trainer.kubernetes.manifests import build_job, make_pod_cluster
from components.distributed_trainer.kubernetes.trainer_pod import TrainerPod
from pipeline.config import WorkersConfig

NAME = "train-0123abcd-4567ef"


TRAINER_POD = TrainerPod(
    "trainer-pod", "uid-1", IMAGE, [{"name": "registry"}], {"fsGroup": 1000}, {"runAsUser": 1234}
)


FULL = {
    "resources": {"cpu": "3500m", "memory": "12Gi", "gpu": 2},
    "node_selector": {"pool": "gpu"},
    "tolerations": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}, {"key": "spot"}],
    "node_affinity": [
        {
            "match": [
                {"key": "zone", "values": ["a", "b"]},
                {"key": "old", "operator": "DoesNotExist"},
            ]
        },
        {"match": [{"key": "cores", "operator": "Gt", "values": ["15"]}], "weight": 50},
    ],
    "pod_affinity": [
        {"labels": {"app": "store"}, "topology_key": "topology.kubernetes.io/zone", "weight": 5},
        {"labels": {"app": "batch"}, "anti": True},
    ],
    "scratch": [
        {"path": "/scratch", "size": "20Gi"},
        {"path": "/fast", "size": "1Ti", "storage_class": "local-ssd"},
    ],
    "volumes": [
        {"claim": "runs", "path": "/runs"},
        {"claim": "d", "path": "/d", "read_only": True},
    ],
    "env": {"LEVEL": "debug $(x) $$5 $"},
    "secrets": ["minio"],
    "secret_files": {"gcs-key": "/var/secrets/google"},
    "config_map_files": {"words": "/etc/words"},
    "labels": {"kueue.x-k8s.io/queue-name": "gpus"},
    "annotations": {"example.com/owner": "Ann <a@example.com>"},
    "image": "registry.example/own:1",
    "service_account": "reader",
    "shared_memory": "2Gi",
}


def make_job(workers: dict[str, Any], tasks: dict[str, int] | None = None) -> dict[str, Any]:
    cluster = make_pod_cluster(NAME, tasks or {"worker": 2})
    return build_job(NAME, "key", cluster, TRAINER_POD, WorkersConfig.model_validate(workers))
