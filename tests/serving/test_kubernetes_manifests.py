"""The manifests in deploy/serving: Kubernetes takes them, and they fit the server and the image.

KServe's objects have no published schemas here: their pods are checked, and both files were checked
once against KServe's custom resource definitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from pipeline.cli.serving import serve
from pipeline.config.sections.serving import ServerConfig
from serving.processes.supervisor import _GRACE_SECONDS

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "deploy/serving").glob("*.yaml"))
VERSIONS = ("1.29", "1.37")


def read(file: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(file.read_text(encoding="utf-8")))


def find(kind: str) -> dict[str, Any]:
    """Returns an object of server.yaml."""
    (found,) = (d for d in read(ROOT / "deploy/serving/server.yaml") if d["kind"] == kind)
    return found


def pods(documents: list[dict[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for document in documents:
        if document["kind"] == "Deployment":
            yield document["spec"]["template"]["spec"]
        elif document["kind"] == "ServingRuntime":
            yield {key: document["spec"][key] for key in ("containers", "volumes")}


def own_server() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields each container that runs this project's server, with the name of its file."""
    for file in FILES:
        for pod in pods(read(file)):
            (container,) = pod["containers"]
            if container.get("args", [""])[0] == "serve":
                yield file.name, container


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_published_schemas_take_the_manifests(file: Path, version: str) -> None:
    documents = read(file)
    for pod in pods(documents):
        manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": pod}
        kubernetes_validate.validate(manifest, version, strict=True)
    for document in documents:
        if "kserve" not in document["apiVersion"]:
            kubernetes_validate.validate(document, version, strict=True)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_pods_keep_the_restricted_standard_and_mount_models_read_only(file: Path) -> None:
    """https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted"""
    for pod in pods(read(file)):
        (container,) = pod["containers"]
        security = {**pod.get("securityContext", {}), **container["securityContext"]}
        assert security["runAsNonRoot"] is True
        assert security["readOnlyRootFilesystem"] is True
        assert security["allowPrivilegeEscalation"] is False
        assert security["capabilities"] == {"drop": ["ALL"]}
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}
        assert set(container["resources"]) == {"requests", "limits"}
        volumes = {volume["name"] for volume in pod["volumes"]}
        mounts = container["volumeMounts"]
        assert {mount["name"] for mount in mounts} == volumes
        writable = {mount["mountPath"] for mount in mounts if not mount.get("readOnly")}
        assert writable == {"/tmp"}


def test_the_command_knows_the_arguments_and_the_image_has_the_command() -> None:
    containers = dict(own_server())
    assert set(containers) == {"server.yaml", "kserve.yaml"}
    dockerfile = (ROOT / "deploy/Dockerfile").read_text(encoding="utf-8")
    assert "COPY deploy/serve.sh /usr/local/bin/serve" in dockerfile
    overlay = (ROOT / "configs/overlays/kubeflow.yaml").read_text(encoding="utf-8")
    for file, container in containers.items():
        context = serve.make_context("serve", container["args"][1:])
        port = context.params["port"] or ServerConfig().port
        assert [p["containerPort"] for p in container["ports"]] == [port], file
        assert str(port) in dockerfile or "--port=8080" in container["args"]
        assert f"image: {container['image']}\n" in overlay
        # Its pods listen on all addresses, where `serve` takes no tokens without one of these.
        given = context.params
        needs_no_tls = not given["token_file"] or given["plain_tokens"]
        assert needs_no_tls or given["tls_certificate"], file


@pytest.mark.parametrize("probe", ["startupProbe", "readinessProbe", "livenessProbe"])
def test_probes_ask_paths_that_need_no_token(probe: str) -> None:
    for file, container in own_server():
        if probe in container:
            assert container[probe]["httpGet"]["path"] in ("/healthz", "/readyz"), file
        else:
            assert (file, probe) == ("kserve.yaml", "startupProbe")


def test_a_pod_has_the_time_that_the_server_takes_to_drain() -> None:
    pod = find("Deployment")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    wait = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    needed = wait + ServerConfig().drain_seconds + _GRACE_SECONDS
    assert needed < pod["terminationGracePeriodSeconds"] <= needed + 10


def test_all_objects_select_the_pods_of_the_deployment() -> None:
    deployment = find("Deployment")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    selectors = [
        deployment["spec"]["selector"]["matchLabels"],
        find("Service")["spec"]["selector"],
        find("PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
        find("NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
    ]
    assert selectors == [labels] * 4
    target = find("HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]
    assert (target["kind"], target["name"]) == ("Deployment", deployment["metadata"]["name"])
    pod = deployment["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == find("ServiceAccount")["metadata"]["name"]
    for spread in pod["topologySpreadConstraints"]:
        assert spread["labelSelector"]["matchLabels"] == labels


def test_the_server_calls_nobody_and_answers_at_one_port() -> None:
    spec = find("NetworkPolicy")["spec"]
    assert (spec["policyTypes"], spec["egress"]) == (["Ingress", "Egress"], [])
    (rule,) = spec["ingress"]
    assert [port["port"] for port in rule["ports"]] == ["http"]


def test_tensorflow_serving_is_the_same_version_everywhere() -> None:
    places = [*FILES, ROOT / "scripts/serve_tensorflow.sh"]
    text = "".join(path.read_text(encoding="utf-8") for path in places)
    found = re.findall(r"(?:tensorflow/serving:|runtimeVersion: )([\d.]+)", text)
    assert len(found) == 3
    assert len(set(found)) == 1
