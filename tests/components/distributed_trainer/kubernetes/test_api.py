"""What Kubernetes refuses, or keeps waiting, is told with its reason and what to do."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from fake_cluster import FakeCluster
from scripted_pods import launcher, starts

from components.distributed_trainer.kubernetes.api import Api
from components.supervision.supervisor import Policy, supervise
from pipeline.core.errors import ConfigError, PipelineError


@pytest.mark.parametrize(
    ("workers", "missing", "told"),
    [
        ({"node_selector": {"pool": "gpu"}}, "", "nodes are available: 1 node(s) didn't match"),
        ({"image": "typo:1"}, "typo:1", 'ImagePullBackOff: Back-off pulling image "typo:1"'),
    ],
)
def test_what_stays_pending_is_told_with_its_reason(
    workers: dict[str, Any], missing: str, told: str, cluster: FakeCluster, folder: Path
) -> None:
    cluster.kubelet.missing_images = {missing}
    with pytest.raises(ConfigError) as caught:
        supervise(launcher(folder, "", pending_seconds=2, **workers), Policy(stall_seconds=0.5))
    assert caught.value.message.startswith("worker 0 has not started in 2 s: ")
    assert told in caught.value.message
    assert "pending_seconds" in caught.value.hint
    assert cluster.left() == []


def test_a_pod_that_was_never_made_is_told_by_the_warning_about_its_job(
    cluster: FakeCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(job: dict[str, Any], index: int) -> None:
        about = {"kind": "Job", "name": job["metadata"]["name"]}
        message = "pods is forbidden: exceeded quota: gpus"
        event = {"type": "Warning", "reason": "FailedCreate", "message": message}
        name = f"{about['name']}.{index}"
        cluster.add("events", {"metadata": {"name": name}, "involvedObject": about, **event})

    monkeypatch.setattr(cluster, "_add_pod", refuse)
    with pytest.raises(ConfigError, match="FailedCreate: pods is forbidden: exceeded quota: gpus"):
        supervise(launcher(folder, "", pending_seconds=1), Policy())
    assert cluster.left() == []


@pytest.mark.parametrize(
    "right",
    ["get pods", "list jobs", "create jobs", "create services", "list pods", "get pods/log"],
)
def test_a_missing_right_is_named_with_what_gives_it(
    right: str, cluster: FakeCluster, folder: Path
) -> None:
    verb, resource = right.split()
    cluster.rules = [
        {"apiGroups": rule["apiGroups"], "resources": [each], "verbs": [allowed]}
        for rule in cluster.rules
        for each in rule["resources"]
        for allowed in rule["verbs"]
        if (allowed, each) != (verb, resource)
    ]
    with pytest.raises(ConfigError) as caught:
        supervise(launcher(folder, "time.sleep(600)"), Policy())
    assert caught.value.message == (
        f"Kubernetes lets system:serviceaccount:team:pipeline-runner not {verb} resource "
        f'"{resource}" in API group "{"batch" if resource == "jobs" else ""}" in the namespace '
        f'"team"'
    )
    assert "kubectl apply -n team -f deploy/kubernetes/trainer.yaml" in caught.value.hint
    assert cluster.left() == []


def test_every_right_that_the_manifest_gives_is_used(cluster: FakeCluster, folder: Path) -> None:
    """By a training that has lived a while, its leftovers, and a pod that waits."""
    attempt = launcher(folder, "time.sleep(600)", abandoned_seconds=5).start()
    deadline = time.monotonic() + 4
    while time.monotonic() < deadline:
        attempt.look()
        time.sleep(0.2)
    with pytest.raises(ConfigError, match="has not started"):
        supervise(launcher(folder, "", pending_seconds=1, node_selector={"a": "b"}), Policy())
    named = {"GET": "get", "POST": "create", "PATCH": "patch", "DELETE": "delete"}
    used = set()
    for request in cluster.requests:
        method, _, path = request.partition(" ")
        kind, *rest = path.partition("/namespaces/team/")[2].split("/")
        verb = "list" if method == "GET" and not rest else named[method]
        used.add(("/".join([kind, *rest[1:]]), verb))
    given = {(r, v) for rule in cluster.rules for r in rule["resources"] for v in rule["verbs"]}
    assert used == given


def test_an_unknown_token_is_told(
    cluster: FakeCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig("old")))
    with pytest.raises(ConfigError, match=r"does not know who asks: Unauthorized"):
        supervise(launcher(folder, ""), Policy())


def test_a_server_that_cannot_be_reached_is_told(cluster: FakeCluster, folder: Path) -> None:
    cluster.down = True
    with pytest.raises(PipelineError, match=r"at http://127.*cannot be reached: apiserver is shut"):
        supervise(launcher(folder, ""), Policy())


def test_what_was_created_unheard_is_not_created_twice(cluster: FakeCluster, folder: Path) -> None:
    cluster.answers_to_lose = 3
    supervise(launcher(folder, ""), Policy())
    assert cluster.answers_to_lose == 0
    assert starts(folder) == ["0-0", "1-0"]
    assert cluster.left() == []


def test_who_is_not_in_a_pod_is_told(
    cluster: FakeCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KFP_POD_NAME", "laptop")
    with pytest.raises(ConfigError, match="no pod laptop in namespace team"):
        supervise(launcher(folder, ""), Policy())


@pytest.mark.parametrize("variable", ["KUBECONFIG", "KUBERNETES_SERVICE_HOST"])
def test_no_way_to_kubernetes_is_told(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No kubeconfig; a pod without a token."""
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    monkeypatch.setenv(variable, "/none")
    with pytest.raises(ConfigError, match="no way to the API of Kubernetes") as caught:
        Api.connect()
    assert "automountServiceAccountToken" in caught.value.hint


def test_what_kubernetes_refuses_is_told(cluster: FakeCluster, folder: Path) -> None:
    workers = {"volumes": [{"claim": "a", "path": "/a"}, {"claim": "b", "path": "/a"}]}
    with pytest.raises(ConfigError, match="refuses the workers: Job is invalid: two mounts at"):
        supervise(launcher(folder, "", **workers), Policy())
    assert cluster.left() == []
    cluster.invalid.clear()
