"""Which processes a start of the local cluster starts."""

from pathlib import Path

import pytest

from deploy.flink.local import cluster, networks
from deploy.flink.local.cluster import up
from deploy.flink.local.networks import Network
from deploy.jars import JarSet
from deploy.sessions import end, read_state

SLEEP = ["sleep", "60"]


def test_a_cluster_has_as_many_pods_as_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BUILD", "LOGS", "TEMPORARY"):
        monkeypatch.setattr(cluster, name, tmp_path / name)
    state = tmp_path / "state.json"
    monkeypatch.setattr(cluster, "STATE", state)
    monkeypatch.setattr(networks, "BUILD", tmp_path)
    monkeypatch.setattr(cluster, "choose_network", lambda: Network(namespaces=False))
    monkeypatch.setattr(JarSet, "get", lambda self: None)
    # Another clone on this machine may run a real cluster meanwhile.
    monkeypatch.setattr(cluster, "refuse_neighbours", lambda *_: None)
    for name in ("jobmanager_command", "pod_command", "job_server_command"):
        monkeypatch.setattr(cluster, name, lambda *_: SLEEP)
    registered: list[int] = []
    monkeypatch.setattr(cluster, "_is_ready", lambda pods: registered.append(pods) or True)
    try:
        up(1)
        started = read_state(state)
        assert sorted(started) == ["job-server", "jobmanager", "pod-1"]
        up(1)
        assert read_state(state) == started
        up(2)
        assert sorted(read_state(state)) == ["job-server", "jobmanager", "pod-1", "pod-2"]
        assert registered == [1, 1, 2]
    finally:
        end(read_state(state).values())
