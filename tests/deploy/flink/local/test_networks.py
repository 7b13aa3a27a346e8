"""Each pod of the local cluster reaches the pool of its own, at the same address localhost."""

import functools
import os
import subprocess
from pathlib import Path

import pytest

from deploy.flink.local import networks
from deploy.flink.local.java import taskmanager_command
from deploy.flink.local.networks import PODS, Network, choose_network
from deploy.flink.local.pod import pod_command
from pipeline.core.errors import ConfigError


@pytest.fixture(autouse=True)
def _build(tmp_path, monkeypatch):
    monkeypatch.setattr(networks, "BUILD", tmp_path)


@pytest.mark.parametrize("namespaces", [True, False])
def test_no_two_pods_share_a_pool(namespaces: bool) -> None:
    network = Network(namespaces)
    places = {(*network.enter(pod), network.pool(pod)) for pod in PODS}
    assert len(places) == len(PODS)


def test_without_namespaces_a_taskmanager_takes_the_address_of_its_pool_as_localhost() -> None:
    network = Network(namespaces=False)
    for pod in PODS:
        flags = taskmanager_command(network, pod)
        (hosts,) = [f.partition("=")[2] for f in flags if f.startswith("-Djdk.net.hosts.file=")]
        with open(hosts, encoding="utf-8") as file:
            assert file.read().split()[:2] == [network.pool(pod), "localhost"]


def test_a_pod_starts_in_its_namespace() -> None:
    command = pod_command(Network(namespaces=True), 2)
    assert command[:3] == ["ip", "netns", "exec"]
    assert command[-2:] == ["2", "--namespaces"]


@pytest.mark.skipif(os.geteuid() == 0, reason="as root, namespaces are taken")
def test_who_may_make_no_namespaces_gets_local_addresses() -> None:
    assert choose_network() == Network(namespaces=False)


def test_the_probe_leaves_no_namespace() -> None:
    choose_network()
    # The directory is missing where no namespace was ever made, such as without iproute2.
    assert not list(Path("/run/netns").glob("*probe*"))


@pytest.mark.skipif(not choose_network().namespaces, reason="needs root and iproute2")
def test_addresses_and_names_that_are_taken_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    name, taken = f"t{os.getpid()}", f"u{os.getpid()}"
    monkeypatch.setattr(networks, "_BRIDGE", name)
    monkeypatch.setattr(networks, "_NETWORK", "10.77.23")
    run = functools.partial(subprocess.run, check=True)
    run(["ip", "link", "add", taken, "type", "bridge"])
    try:
        run(["ip", "address", "add", "10.77.23.9/24", "dev", taken])
        with pytest.raises(ConfigError, match=rf"10\.77\.23\.0/24.* to the interface {taken}"):
            Network(namespaces=True).up()
        run(["ip", "address", "flush", "dev", taken])
        with pytest.raises(ConfigError, match=f"`ip link set {name} master x up` failed: "):
            networks._run(f"ip link set {name} master x up")
    finally:
        run(["ip", "link", "delete", taken])
