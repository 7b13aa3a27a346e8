"""The manifests of the guide: Kubernetes takes them, and the image's user can fill the volume."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from pipeline.config import load_config

ROOT = Path(__file__).parents[2]
FILE = ROOT / "deploy/kubernetes/volume.yaml"
GUIDE = (ROOT / "docs/kubeflow.md").read_text(encoding="utf-8")
VERSIONS = ("1.29", "1.37")


def read_volume_and_job() -> tuple[dict[str, Any], dict[str, Any]]:
    volume, job = yaml.safe_load_all(FILE.read_text(encoding="utf-8"))
    return volume, job


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_takes_volume_and_job(version: str) -> None:
    for document in read_volume_and_job():
        kubernetes_validate.validate(document, version, strict=True)


def test_the_job_prepares_the_volume_that_the_shipped_overlay_mounts() -> None:
    files = [ROOT / "configs/taxi.yaml", ROOT / "configs/overlays/kubeflow.yaml"]
    storage = load_config(files).kubeflow.storage
    assert storage is not None
    volume, job = read_volume_and_job()
    pod = job["spec"]["template"]["spec"]
    (mounted,) = pod["volumes"]
    assert volume["metadata"]["name"] == storage.claim
    assert mounted["persistentVolumeClaim"] == {"claimName": storage.claim}
    for container in (*pod["initContainers"], *pod["containers"]):
        assert container["volumeMounts"] == [{"name": mounted["name"], "mountPath": storage.path}]


def test_the_user_of_the_job_is_the_user_of_the_image() -> None:
    dockerfile = (ROOT / "deploy/Dockerfile").read_text(encoding="utf-8")
    (user,) = re.findall(r"^USER (\d+:\d+)$", dockerfile, re.MULTILINE)
    _, job = read_volume_and_job()
    owner, files = (job["spec"]["template"]["spec"][k][0] for k in ("initContainers", "containers"))
    assert owner["command"][:2] == ["chown", user]
    context = files["securityContext"]
    assert f"{context['runAsUser']}:{context['runAsGroup']}" == user


def test_the_commands_of_the_guide_are_those_of_the_manifest() -> None:
    comment = [line[2:].strip() for line in FILE.read_text().splitlines() if line[:3] == "#  "]
    lines = [line.strip() for line in GUIDE.splitlines()]
    assert len(comment) == 5
    assert [line for line in comment if line not in lines] == []


def test_the_keys_of_the_pipeline_root_stand_where_kubeflow_looks_for_them() -> None:
    """The names are those of `BucketProviders` in the Go code of Kubeflow's launcher."""
    text = FILE.with_name("kfp-launcher.yaml").read_text(encoding="utf-8")
    config_map = yaml.safe_load(text)
    for version in VERSIONS:
        kubernetes_validate.validate(config_map, version, strict=True)
    assert config_map["metadata"]["name"] == "kfp-launcher"
    providers = yaml.safe_load(config_map["data"]["providers"])
    keys = {
        "s3": ("secretName", "accessKeyKey", "secretKeyKey"),
        "gs": ("secretName", "tokenKey"),
    }
    assert providers.keys() == keys.keys()
    assert config_map["data"]["defaultPipelineRoot"].split(":")[0] in providers
    for name, provider in providers.items():
        credentials = provider["default"]["credentials"]
        secret = credentials["secretRef"]
        assert credentials["fromEnv"] is False
        assert tuple(secret) == keys[name]
        made = re.search(rf"secret generic {secret['secretName']} (.+)$", text, re.MULTILINE)
        assert made is not None
        for key in [*secret.values()][1:]:
            assert f"--from-file={key}" in made[1]


def start_as(context: dict[str, Any], command: list[str]) -> subprocess.Popen[str]:
    """Starts a container's command with the user and the capabilities of its security context."""
    added = "".join(f",+{c.lower()}" for c in context["capabilities"].get("add", ()))
    group = context.get("runAsGroup", 0)
    limits = [f"--reuid={context['runAsUser']}", f"--regid={group}", "--clear-groups"]
    limits += [f"--inh-caps=-all{added}", f"--bounding-set=-all{added}"]
    return subprocess.Popen(["setpriv", *limits, "--", *command], text=True)


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs root, as the Job's pod has"
)
def test_a_volume_of_root_is_writable_for_the_tasks_afterwards() -> None:
    directory = tempfile.mkdtemp()  # Directories of pytest are closed to other users.
    os.chmod(directory, 0o755)
    _, job = read_volume_and_job()
    pod = job["spec"]["template"]["spec"]
    (owner,), (files,) = pod["initContainers"], pod["containers"]

    def command(container: dict[str, Any]) -> list[str]:
        texts = [text.replace("/mnt/pipeline", directory) for text in container["command"]]
        return texts[2:] if texts[0] == "tini" else texts

    try:
        assert start_as(files["securityContext"], ["touch", f"{directory}/x"]).wait() != 0
        assert start_as(owner["securityContext"], command(owner)).wait() == 0
        short = [text.replace("sleep 3600", "true") for text in command(files)]
        assert start_as(files["securityContext"], short).wait() == 0
        table = f"{directory}/data/table.csv"
        assert start_as(files["securityContext"], ["touch", table]).wait() == 0
    finally:
        shutil.rmtree(directory)
