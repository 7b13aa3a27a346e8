"""Errors of the API say what Kubernetes rejects and what to do."""

from __future__ import annotations

import time
from pathlib import Path

import certifi
import pytest
from fake_cluster import FakeCluster
from scripted_pods import make_launcher
from scripted_workers import list_starts

from components.distributed_trainer.kubernetes import api
from components.distributed_trainer.kubernetes.api import Api
from components.supervision.supervisor import Policy, supervise
from pipeline.core.errors import ConfigError, PipelineError


@pytest.mark.parametrize(
    "right",
    ["get pods", "list jobs", "create jobs", "create services", "list pods", "get pods/log"],
)
def test_the_message_names_a_missing_right_and_the_manifest_that_grants_it(
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
        supervise(make_launcher(folder, "time.sleep(600)"), Policy())
    assert caught.value.message == (
        f"Kubernetes does not let system:serviceaccount:team:pipeline-runner {verb} resource "
        f'"{resource}" in API group "{"batch" if resource == "jobs" else ""}" in the namespace '
        f'"team"'
    )
    assert "kubectl apply -n team -f deploy/kubernetes/trainer.yaml" in caught.value.hint
    assert cluster.left() == []


def test_the_trainer_uses_every_right_of_the_manifest(cluster: FakeCluster, folder: Path) -> None:
    """The rights are needed by a training that renews its deadline, leftovers and pending pods."""
    attempt = make_launcher(folder, "time.sleep(600)", abandoned_seconds=5).start()
    deadline = time.monotonic() + 4
    while time.monotonic() < deadline:
        attempt.read_statuses()
        time.sleep(0.2)
    with pytest.raises(ConfigError, match="has not started"):
        supervise(make_launcher(folder, "", pending_seconds=1, node_selector={"a": "b"}), Policy())
    named = {"GET": "get", "POST": "create", "PATCH": "patch", "DELETE": "delete"}
    used = set()
    for request in cluster.requests:
        method, _, path = request.partition(" ")
        kind, *rest = path.partition("/namespaces/team/")[2].split("/")
        verb = "list" if method == "GET" and not rest else named[method]
        used.add(("/".join([kind, *rest[1:]]), verb))
    given = {(r, v) for rule in cluster.rules for r in rule["resources"] for v in rule["verbs"]}
    assert used == given


def test_an_unknown_token_is_a_config_error(
    cluster: FakeCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig("old")))
    with pytest.raises(ConfigError, match=r"rejects the credentials: Unauthorized"):
        supervise(make_launcher(folder, ""), Policy())


def test_an_unreachable_server_is_an_error_after_the_patience(
    cluster: FakeCluster, folder: Path
) -> None:
    cluster.down = True
    with pytest.raises(PipelineError, match=r"cannot reach .* at http://127.*: apiserver is shut"):
        supervise(make_launcher(folder, "", patience_seconds=3), Policy())


def test_an_object_is_created_once_when_the_servers_answer_is_lost(
    cluster: FakeCluster, folder: Path
) -> None:
    cluster.answers_to_lose = 3
    supervise(make_launcher(folder, ""), Policy())
    assert cluster.answers_to_lose == 0
    assert list_starts(folder) == ["0-0", "1-0"]
    assert cluster.left() == []


@pytest.mark.parametrize("variable", ["KUBECONFIG", "KUBERNETES_SERVICE_HOST"])
def test_connecting_without_credentials_is_a_config_error(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """KUBECONFIG names no file; or a pod has no token."""
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    monkeypatch.setenv(variable, "/none")
    with pytest.raises(ConfigError, match="cannot connect to the Kubernetes API") as caught:
        Api.connect()
    assert "automountServiceAccountToken" in caught.value.hint


def test_a_token_of_the_trainers_own_account_goes_before_the_token_of_the_pod(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    monkeypatch.setattr(api, "_POD_ACCOUNT", write_account(tmp_path / "pod"))
    monkeypatch.setattr(api, "_OWN_ACCOUNT", tmp_path / "own")
    assert account_of(Api.connect()) == "bearer token of pod"
    write_account(tmp_path / "own")
    assert account_of(Api.connect()) == "bearer token of own"


def write_account(folder: Path) -> Path:
    folder.mkdir()
    (folder / "token").write_text(f"token of {folder.name}")
    (folder / "namespace").write_text("team\n")
    (folder / "ca.crt").write_text(Path(certifi.where()).read_text(encoding="utf-8"))
    return folder


def account_of(connected: Api) -> str:
    assert connected.namespace == "team"
    account: str = connected._client.configuration.api_key["authorization"]
    return account


def test_an_invalid_manifest_is_a_config_error(cluster: FakeCluster, folder: Path) -> None:
    workers = {"volumes": [{"claim": "a", "path": "/a"}, {"claim": "b", "path": "/a"}]}
    with pytest.raises(ConfigError, match="rejects the workers: Job is invalid: two mounts at"):
        supervise(make_launcher(folder, "", **workers), Policy())
    assert cluster.left() == []
    cluster.invalid.clear()
