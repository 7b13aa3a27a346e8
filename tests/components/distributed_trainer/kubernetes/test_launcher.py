"""What the launcher starts in a fake Kubernetes, and when it refuses to start."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_cluster import JOB_LABEL, FakeCluster
from process_states import wait_until
from scripted_pods import make_launcher
from scripted_workers import is_alive, list_starts, skip_pause

from components.supervision.supervisor import Policy, supervise
from pipeline.core.errors import ConfigError


def test_each_worker_starts_once_and_nothing_is_left_in_the_cluster(
    cluster: FakeCluster, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = "wait_for_all(2); print(os.environ['LEVEL'])"
    supervise(make_launcher(folder, script, env={"LEVEL": "fine"}), Policy())
    assert list_starts(folder) == ["0-0", "1-0"]
    lines = capfd.readouterr().err.splitlines()
    said = sorted(line for line in lines if line.endswith("fine"))
    assert said == ["[worker 0] fine", "[worker 1] fine"]
    assert not any("##worker" in line for line in lines)
    assert cluster.left() == []
    assert not any("DELETE" in r and "/jobs/" not in r for r in cluster.requests)


def test_each_pod_gets_its_own_task_and_the_addresses_of_all(
    cluster: FakeCluster, folder: Path
) -> None:
    """The fake replaces a name only if a Service resolves it."""
    script = "open(f'{folder}/config-{type_}{task}', 'w').write(os.environ['TF_CONFIG'])"
    supervise(make_launcher(folder, script, {"worker": 3}), Policy())
    configs = [json.loads((folder / f"config-worker{i}").read_text()) for i in range(3)]
    assert [config["task"]["index"] for config in configs] == [0, 1, 2]
    [addresses] = {tuple(config["cluster"]["worker"]) for config in configs}
    assert len(set(addresses)) == 3
    assert all(address.startswith("localhost:") for address in addresses)


def test_servers_are_ended_when_their_chief_has_succeeded(
    cluster: FakeCluster, folder: Path
) -> None:
    script = "wait_for_all(3); time.sleep(0 if type_ == 'chief' else 600)"
    supervise(make_launcher(folder, script, {"chief": 1, "worker": 1, "ps": 1}), Policy())
    assert list_starts(folder) == ["0-0", "chief0-0", "ps0-0"]
    assert not any(is_alive(int(path.read_text())) for path in folder.iterdir())
    assert cluster.left() == []


def test_a_second_trainer_of_the_same_model_is_refused_before_it_changes_anything(
    cluster: FakeCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = make_launcher(folder, "time.sleep(600)").start()
    cluster.add_trainer("another")
    monkeypatch.setenv("KFP_POD_NAME", "another")
    with pytest.raises(ConfigError, match="pod trainer is training the same model"):
        make_launcher(folder, "").take_over()
    attempt.stop()
    assert cluster.left() == []


def test_a_trainer_outside_a_pod_is_refused(
    cluster: FakeCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KFP_POD_NAME", "laptop")
    with pytest.raises(ConfigError, match="no pod laptop in namespace team"):
        supervise(make_launcher(folder, ""), Policy())


def test_a_training_lets_only_its_own_workers_in(cluster: FakeCluster, folder: Path) -> None:
    attempt = make_launcher(folder, "time.sleep(600)").start()
    wait_until(lambda: len(cluster.workers()) == 2)
    [policy] = cluster.of_kind("networkpolicies")
    [rule], selected = policy["spec"]["ingress"], policy["spec"]["podSelector"]["matchLabels"]
    assert rule == {"from": [{"podSelector": {"matchLabels": selected}}]}
    workers = [pod["metadata"]["labels"] for pod in cluster.workers()]
    assert all(selected.items() <= labels.items() for labels in workers)
    assert not selected.items() <= {**workers[0], JOB_LABEL: "another"}.items()
    attempt.stop()
    assert cluster.left() == []


def test_no_worker_can_start_before_its_network_policy(cluster: FakeCluster, folder: Path) -> None:
    """A pod that waits for its ConfigMap has no network yet."""
    supervise(make_launcher(folder, ""), Policy())
    created = [r.rpartition("/")[2] for r in cluster.requests if r.startswith("POST")]
    assert created == ["jobs", "networkpolicies", "services", "configmaps"]


def test_a_trainer_that_may_not_create_network_policies_warns_once_and_trains(
    cluster: FakeCluster, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cluster.rules = [rule for rule in cluster.rules if rule["resources"] != ["networkpolicies"]]
    script = "if attempt == 0: os.kill(os.getpid(), 9)"
    supervise(make_launcher(folder, script), Policy(), skip_pause)
    assert list_starts(folder) == ["0-0", "0-1", "1-0", "1-1"]
    warnings = [r.getMessage() for r in caplog.records if "NetworkPolicy" in r.getMessage()]
    assert len(warnings) == 1
    assert "Whoever reaches port 2222" in warnings[0]
    assert 'create resource "networkpolicies" in API group "networking.k8s.io"' in warnings[0]
    assert "kubectl apply -n team -f deploy/kubernetes/trainer.yaml" in warnings[0]
    assert "deploy/kubernetes/network-policy.yaml" in warnings[0]
