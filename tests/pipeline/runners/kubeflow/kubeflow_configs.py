"""Configurations for Kubeflow, one for each variant of the compiled file."""

from __future__ import annotations

import json
from pathlib import Path

from pipeline.config import Config, load_config

ROOT = Path(__file__).parents[4]
TAXI = ROOT / "configs/taxi.yaml"
OVERLAYS = ROOT / "configs/overlays"
TUNING = 'tuning.search."training.learning_rate"={min: 0.001, max: 0.1}'
EVERYTHING = {
    "resources": {"cpu": "4", "memory": "16Gi", "gpu": 1},
    "requests": {"cpu": "500m", "memory": "8Gi"},
    "env": {"NCCL_DEBUG": "INFO"},
    "secrets": {"mlpipeline-minio-artifact": {"accesskey": "AWS_ACCESS_KEY_ID"}},
    "secret_files": {"gcs-key": "/var/secrets/google"},
    "config_map_files": {"words": "/etc/words"},
    "labels": {"team": "trips"},
    "annotations": {"example.com/owner": "Ann"},
    "image_pull_secrets": ["registry"],
    "node_selector": {"pool": "gpu"},
    "tolerations": [{"key": "gpu", "effect": "NoSchedule"}],
    "node_affinity": [
        {"match": [{"key": "zone", "values": ["a"]}]},
        {"match": [{"key": "old", "operator": "DoesNotExist"}], "weight": 5},
    ],
    "scratch": [
        {"path": "/scratch", "size": "20Gi"},
        {"path": "/fast", "size": "1Ti", "storage_class": "local-ssd"},
    ],
    "security_context": {"run_as_user": 1000, "run_as_group": 0, "run_as_non_root": True},
    "volumes": [{"claim": "cache", "path": "/cache"}],
    "shared_memory": "2Gi",
    "retries": {"count": 2, "backoff_seconds": 30, "factor": 3, "max_seconds": 600},
    "timeout_seconds": 7200,
    "image_pull_policy": "IfNotPresent",
}
VARIANTS: dict[str, tuple[list[str], list[str]]] = {
    "taxi": ([], []),
    "multi-worker": (["multi_worker"], []),
    "parameter-server": (["parameter_server"], []),
    "tuning": ([], [TUNING]),
    "warm-start": ([], ["training.warm_start=true"]),
    "exports": ([], ["exports=[{format: onnx}]"]),
    "prediction": ([], ["prediction={input: /new/*.csv, output: /mnt/pipeline/scored}"]),
    "bigquery": (
        [],
        ["data={source: bigquery, query: SELECT 1, split: {by: key, column: company}}"],
    ),
    "tfrecord": ([], ["data={source: tfrecord, path: 'trips/*.tfrecord.gz'}"]),
    "everything": ([], [f"kubeflow.defaults={json.dumps(EVERYTHING)}", "kubeflow.cache=false"]),
}


def load_kubeflow_config(overlays: list[str], assignments: list[str]) -> Config:
    """Returns the taxi configuration on Kubeflow, with more `overlays` and `assignments`."""
    files = [TAXI, OVERLAYS / "kubeflow.yaml", *(OVERLAYS / f"{o}.yaml" for o in overlays)]
    return load_config(files, assignments)
