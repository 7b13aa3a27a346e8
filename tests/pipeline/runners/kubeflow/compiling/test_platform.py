"""The second document of the compiled file."""

from __future__ import annotations

from pipeline.config.kubernetes.kubeflow import KubeflowConfig
from pipeline.runners.kubeflow.compiling.platform import make_platform_spec


def test_kubernetes_settings_are_in_the_platform_document() -> None:
    """Reason 11."""
    config = KubeflowConfig.model_validate(
        {
            "storage": {"claim": "runs", "path": "/runs/"},
            "components": {
                "Trainer": {
                    "node_selector": {"gpu": "a100"},
                    "tolerations": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}, {}],
                    "node_affinity": [
                        {"match": [{"key": "zone", "values": ["a"]}]},
                        {"match": [{"key": "old", "operator": "Exists"}], "weight": 5},
                    ],
                    "scratch": [
                        {"path": "/scratch", "size": "20Gi"},
                        {"path": "/fast", "size": "1Ti", "storage_class": "local-ssd"},
                    ],
                    "security_context": {"run_as_user": 0, "run_as_non_root": False},
                    "volumes": [{"claim": "cache", "path": "/cache"}],
                    "secrets": {"s3": {"secretkey": "AWS_SECRET_ACCESS_KEY"}},
                    "secret_files": {"gcs-key": "/var/secrets/google"},
                    "config_map_files": {"words": "/etc/words"},
                    "labels": {"team": "trips"},
                    "annotations": {"example.com/owner": "Ann <a@example.com>"},
                    "image_pull_secrets": ["registry"],
                    "shared_memory": "2Gi",
                    "timeout_seconds": 3600,
                    "image_pull_policy": "Always",
                }
            },
        }
    )
    assert config.storage is not None
    document = make_platform_spec(["Trainer", "Pusher"], config, config.storage)
    executors = document["platforms"]["kubernetes"]["deploymentSpec"]["executors"]
    storage = {"mountPath": "/runs", "constant": "runs"}
    label = {"name": "PIPELINE_RUN_ID", "fieldPath": "metadata.labels['pipeline/runid']"}
    assert executors["exec-pusher"] == {"pvcMount": [storage], "fieldPathAsEnv": [label]}
    assert executors["exec-trainer"] == {
        "pvcMount": [storage, {"mountPath": "/cache", "constant": "cache"}],
        "fieldPathAsEnv": [label],
        "nodeSelector": {"labels": {"gpu": "a100"}},
        "tolerations": [
            {"key": "gpu", "operator": "Equal", "value": "yes", "effect": "NoSchedule"},
            {"operator": "Exists"},
        ],
        "secretAsEnv": [
            {
                "secretName": "s3",
                "keyToEnv": [{"secretKey": "secretkey", "envVar": "AWS_SECRET_ACCESS_KEY"}],
            }
        ],
        "secretAsVolume": [{"mountPath": "/var/secrets/google", "secretName": "gcs-key"}],
        "configMapAsVolume": [{"mountPath": "/etc/words", "configMapName": "words"}],
        "podMetadata": {
            "labels": {"team": "trips"},
            "annotations": {"example.com/owner": "Ann <a@example.com>"},
        },
        "imagePullSecret": [{"secretName": "registry"}],
        "nodeAffinity": [
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]},
            {"matchExpressions": [{"key": "old", "operator": "Exists"}], "weight": 5},
        ],
        "genericEphemeralVolume": [
            {
                "volumeName": "scratch-cde14744",
                "mountPath": "/fast",
                "accessModes": ["ReadWriteOnce"],
                "size": "1Ti",
                "storageClassName": "local-ssd",
            }
        ],
        "securityContext": {"runAsUser": "0", "runAsNonRoot": False},
        "emptyDirMounts": [
            {"volumeName": "scratch-ad861404", "mountPath": "/scratch", "sizeLimit": "20Gi"},
            {
                "volumeName": "shared-memory",
                "mountPath": "/dev/shm",
                "medium": "Memory",
                "sizeLimit": "2Gi",
            },
        ],
        "imagePullPolicy": "Always",
        "activeDeadlineSeconds": "3600",
    }
