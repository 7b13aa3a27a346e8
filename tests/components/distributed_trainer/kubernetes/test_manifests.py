"""What is asked of Kubernetes is valid there, and says what the configuration says."""

from __future__ import annotations

import copy
import json
from typing import Any

import kubernetes_validate
import pytest
import yaml
from fake_cluster import IMAGE, RULES
from manifest_checks import check

from components.distributed_trainer.kubernetes.manifests import (
    config_map_manifest,
    job_manifest,
    pod_cluster,
    service_manifest,
)
from components.distributed_trainer.kubernetes.trainer_pod import Home
from pipeline.config import WorkersConfig
from pipeline.core.errors import ConfigError

VERSIONS = ("1.29", "1.31", "1.34", "1.37")
NAME = "train-0123abcd-4567ef"
HOME = Home("trainer-pod", "uid-1", IMAGE, [{"name": "registry"}], {"fsGroup": 1000})
JOB = {"metadata": {"name": NAME, "uid": "uid-2"}}
FULL = {
    "resources": {"cpu": "3500m", "memory": "12Gi", "gpu": 2},
    "node_selector": {"pool": "gpu"},
    "tolerations": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}, {"key": "spot"}],
    "volumes": [
        {"claim": "runs", "path": "/runs"},
        {"claim": "d", "path": "/d", "read_only": True},
    ],
    "env": {"LEVEL": "debug $(x) $$5 $"},
    "secrets": ["minio"],
    "secret_files": {"gcs-key": "/var/secrets/google"},
    "image": "registry.example/own:1",
    "service_account": "reader",
    "shared_memory": "2Gi",
}


def job(workers: dict[str, Any], tasks: dict[str, int] | None = None) -> dict[str, Any]:
    cluster = pod_cluster(NAME, tasks or {"worker": 2})
    return job_manifest(NAME, "key", cluster, HOME, WorkersConfig.model_validate(workers))


def pod_of(manifest: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = manifest["spec"]["template"]["spec"]
    return spec


@pytest.mark.parametrize("version", VERSIONS)
def test_all_manifests_are_valid(version: str) -> None:
    for manifest in (
        job({}),
        job(FULL, {"chief": 1, "worker": 2, "ps": 1}),
        service_manifest(NAME, JOB),
        config_map_manifest(NAME, JOB, "[]"),
    ):
        kubernetes_validate.validate(manifest, version, strict=True)
        check(manifest)
    role, binding = yaml.safe_load_all(RULES.read_text(encoding="utf-8"))
    for document in (role, binding):
        kubernetes_validate.validate(document, version, strict=True)
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    assert all(subject["namespace"] for subject in binding["subjects"])


def test_a_wrong_field_is_seen() -> None:
    for path in (("spec", "completion"), ("spec", "template", "spec", "serviceAccounts")):
        wrong = copy.deepcopy(job({}))
        place = wrong
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = 2
        with pytest.raises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(wrong, VERSIONS[-1], strict=True)


def test_the_configuration_arrives_in_the_pod() -> None:
    pod = pod_of(job(FULL))
    [container] = pod["containers"]
    assert container["image"] == "registry.example/own:1"
    assert container["resources"]["limits"] == {
        "cpu": "3500m",
        "memory": "12Gi",
        "nvidia.com/gpu": "2",
    }
    assert container["envFrom"] == [{"secretRef": {"name": "minio"}}]
    assert {"name": "LEVEL", "value": "debug $$(x) $$$$5 $$"} in container["env"]
    assert (pod["nodeSelector"], pod["serviceAccountName"]) == ({"pool": "gpu"}, "reader")
    assert pod["tolerations"] == [
        {"operator": "Equal", "key": "gpu", "value": "yes", "effect": "NoSchedule"},
        {"operator": "Exists", "key": "spot"},
    ]
    mounts = {m["mountPath"]: m for m in container["volumeMounts"]}
    assert set(mounts) == {
        "/etc/pipeline-job",
        "/tmp",
        "/runs",
        "/d",
        "/dev/shm",
        "/var/secrets/google",
    }
    volumes = {v["name"]: v for v in pod["volumes"]}
    assert volumes[mounts["/d"]["name"]]["persistentVolumeClaim"] == {
        "claimName": "d",
        "readOnly": True,
    }
    key = mounts["/var/secrets/google"]
    assert volumes[key["name"]]["secret"] == {"secretName": "gcs-key"}
    assert key["readOnly"] is True
    assert volumes[mounts["/dev/shm"]["name"]]["emptyDir"]["sizeLimit"] == "2Gi"


def test_workers_take_over_from_the_trainer_and_get_no_token() -> None:
    pod = pod_of(job({}))
    assert pod["containers"][0]["image"] == IMAGE
    assert pod["imagePullSecrets"] == [{"name": "registry"}]
    assert pod["securityContext"] == {"fsGroup": 1000}
    assert pod["automountServiceAccountToken"] is False


def test_every_pod_has_a_task_at_its_index() -> None:
    cluster = pod_cluster(NAME, {"chief": 1, "worker": 2, "ps": 1})
    hosts = [f"{NAME}-{index}.{NAME}:2222" for index in range(4)]
    assert cluster.addresses == {
        "chief": (hosts[0],),
        "worker": tuple(hosts[1:3]),
        "ps": (hosts[3],),
    }
    assert [task.name for task in cluster.tasks] == ["chief", "worker 0", "worker 1", "ps 0"]
    for host, task in zip(hosts, cluster.tasks):
        assert json.loads(cluster.tf_config(task))["cluster"][task.type][task.index] == host


def test_a_job_that_is_too_long_is_told() -> None:
    with pytest.raises(ConfigError, match=r"takes 1,048,577 bytes"):
        config_map_manifest(NAME, JOB, "x" * (2**20 + 1))


def test_the_image_is_that_of_the_own_container_by_digest() -> None:
    def pod(image_id: str) -> dict[str, Any]:
        return {
            "metadata": {"name": "t", "uid": "u"},
            "spec": {
                "containers": [
                    {"name": "wait", "image": "argo"},
                    {"name": "main", "image": "mine:latest", "securityContext": {"runAsUser": 7}},
                ]
            },
            "status": {"containerStatuses": [{"name": "main", "imageID": image_id}]},
        }

    home = Home.of_pod(pod(f"docker-pullable://{IMAGE}"))
    assert (home.image, home.container_security) == (IMAGE, {"runAsUser": 7})
    assert Home.of_pod(pod(IMAGE)).image == IMAGE
    # Of an image that was loaded into the node and never pushed.
    assert Home.of_pod(pod("sha256:" + "ab" * 32)).image == "mine:latest"
