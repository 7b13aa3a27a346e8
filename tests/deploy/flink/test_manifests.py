"""The manifests of the Flink cluster: Kubernetes takes them, and they fit the project."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from deploy.flink.local.networks import POOL_PORT
from deploy.flink.local.places import HERE
from pipeline.config import Config, load_config

ROOT = Path(__file__).parents[3]
VERSIONS = ("1.29", "1.37")
DOCKERFILE = (ROOT / "deploy/Dockerfile").read_text(encoding="utf-8")


def read(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((ROOT / "deploy/flink" / name).read_text(encoding="utf-8")))


def load_overlays() -> Config:
    overlays = [ROOT / f"configs/overlays/{n}.yaml" for n in ("kubeflow", "flink-on-kubernetes")]
    files = [ROOT / "configs/taxi.yaml", *overlays]
    return load_config(files, ["data.path=/mnt/pipeline/data/*.csv"])


@pytest.fixture
def cluster() -> dict[str, Any]:
    (document,) = read("cluster.yaml")
    spec: dict[str, Any] = document["spec"]
    return spec


@pytest.fixture
def pool(cluster: dict[str, Any]) -> dict[str, Any]:
    _, container = cluster["taskManager"]["podTemplate"]["spec"]["containers"]
    assert container["name"] == "worker-pool"
    return dict(container)


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_takes_job_server_and_policies(version: str) -> None:
    for document in read("job-server.yaml"):
        kubernetes_validate.validate(document, version, strict=True)


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_takes_the_templates_of_pods(cluster: dict[str, Any], version: str) -> None:
    """The schema of a FlinkDeployment says as much: its templates are pods."""
    for template in (cluster["podTemplate"], cluster["taskManager"]["podTemplate"]):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, **template}
        kubernetes_validate.validate(pod, version, strict=True)


def test_flink_gets_its_settings_as_text(cluster: dict[str, Any]) -> None:
    assert {type(value) for value in cluster["flinkConfiguration"].values()} == {str}


def test_jobs_restart_as_on_the_cluster_of_the_tests(cluster: dict[str, Any]) -> None:
    local = yaml.safe_load((HERE / "conf/config.yaml").read_text(encoding="utf-8"))
    there = cluster["flinkConfiguration"]
    shared = [key for key in local if key.startswith(("restart", "classloader", "web.submit"))]
    assert len(shared) == 7
    for key in shared:
        assert there[key] == str(local[key]).replace("False", "false"), key


def test_a_dead_worker_ends_its_pod(cluster: dict[str, Any]) -> None:
    """Only Flink's native mode replaces a pod when one of its containers ended."""
    assert cluster["mode"] == "native"
    assert "restartPolicy" not in cluster["taskManager"]["podTemplate"]["spec"]


def test_the_pool_starts_the_worker_pool_of_the_image(pool: dict[str, Any]) -> None:
    # The image's entry point stays: it passes signals on.
    assert "command" not in pool
    assert pool["args"][:2] == ["python", "-m"]
    result = subprocess.run(
        [sys.executable, *pool["args"][1:], "--help"], cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert pool["args"][-1] == f"--port={POOL_PORT}"


def test_the_user_of_the_pool_is_the_user_of_the_image(pool: dict[str, Any]) -> None:
    (user,) = re.findall(r"^USER (\d+:\d+)$", DOCKERFILE, re.MULTILINE)
    context = pool["securityContext"]
    assert f"{context['runAsUser']}:{context['runAsGroup']}" == user


def test_workers_and_tasks_see_the_volumes_at_the_same_places(
    cluster: dict[str, Any], pool: dict[str, Any]
) -> None:
    kubeflow = load_overlays().kubeflow
    assert kubeflow.storage is not None
    of_tasks = {(volume.claim, volume.path) for volume in kubeflow.defaults.volumes}
    of_tasks.add((kubeflow.storage.claim, kubeflow.storage.path))
    claims = {
        volume["name"]: volume["persistentVolumeClaim"]["claimName"]
        for volume in cluster["taskManager"]["podTemplate"]["spec"]["volumes"]
        if "persistentVolumeClaim" in volume
    }
    mounts = {mount["name"]: mount["mountPath"] for mount in pool["volumeMounts"]}
    assert {(claim, mounts[name]) for name, claim in claims.items()} == of_tasks


def test_the_versions_of_flink_fit_together(cluster: dict[str, Any]) -> None:
    """The job server sends Flink serialized Java objects."""
    pom = (HERE / "pom.xml").read_text(encoding="utf-8")
    (flink,) = re.findall(r"<flink.version>(.+)</flink.version>", pom)
    minor = flink.rpartition(".")[0]
    assert cluster["image"].startswith(f"flink:{flink}-")
    assert cluster["flinkVersion"] == "v" + minor.replace(".", "_")
    server = read("job-server.yaml")[0]["spec"]["template"]["spec"]["containers"][0]
    (beam,) = cluster["podTemplate"]["spec"]["initContainers"]
    assert server["image"] == beam["image"]
    assert f"/beam_flink{minor}_job_server:" in beam["image"]


def test_clients_and_job_server_find_their_services() -> None:
    deployment, service, *_ = read("job-server.yaml")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert service["spec"]["selector"] == labels
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    flags = dict(argument.split("=") for argument in container["args"])
    assert {str(port["port"]) for port in service["spec"]["ports"]} == {
        flags["--job-port"],
        flags["--artifact-port"],
    }
    (document,) = read("cluster.yaml")
    assert flags["--flink-master"] == f"{document['metadata']['name']}-rest:8081"
    assert {port["containerPort"] for port in container["ports"]} == {8098, 8099}


def test_the_overlay_names_job_server_and_page_of_the_manifests(pool: dict[str, Any]) -> None:
    engine = load_overlays().engine
    _, service, *_ = read("job-server.yaml")
    (document,) = read("cluster.yaml")
    ports = {port["name"]: port["port"] for port in service["spec"]["ports"]}
    assert engine.endpoint == f"{service['metadata']['name']}:{ports['jobs']}"
    assert engine.page == f"http://{document['metadata']['name']}-rest:8081"
    least = int(document["spec"]["flinkConfiguration"]["slotmanager.number-of-slots.min"])
    assert engine.parallelism == least
    assert engine.pool_address.partition(":")[2] == pool["args"][-1].partition("=")[2]
