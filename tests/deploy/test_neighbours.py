"""Another cluster on this machine is neither ended nor taken for the own one."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.flink.local import networks
from deploy.flink.local.networks import Network, choose_network
from deploy.neighbours import refuse_neighbours
from pipeline.core.errors import ConfigError

LISTEN = """
import socket, sys, time
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print(flush=True)
time.sleep(600)
"""


@contextmanager
def running(*command: str, directory: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(command, cwd=directory, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def test_a_taken_port_is_refused_with_the_directory_of_the_other_clone(tmp_path: Path) -> None:
    port, other = free_port(), free_port()
    with running(sys.executable, "-c", LISTEN, str(port), directory=tmp_path) as process:
        assert process.stdout
        process.stdout.readline()
        refuse_neighbours("the engine", "make down", [other])
        with pytest.raises(ConfigError) as refusal:
            refuse_neighbours("the engine", "make down", [other, port])
    assert f"port {port}, which the engine needs, is taken by process " in str(refusal.value)
    assert f"cd {tmp_path} && make down" in refusal.value.hint


@pytest.mark.skipif(not choose_network().namespaces, reason="needs root and iproute2")
def test_the_network_of_another_cluster_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(networks, "_BRIDGE", f"t{os.getpid()}")
    name = f"t{os.getpid()}-1"
    network = Network(namespaces=True)
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        with running(*network.enter(1), "sleep", "600", directory=tmp_path):
            deadline = time.monotonic() + 60
            while not network.find_residents() and time.monotonic() < deadline:
                time.sleep(0.05)
            network.down()
            with pytest.raises(
                ConfigError, match=f"the network namespace {name}, which"
            ) as refusal:
                refuse_neighbours("the engine", "make down", [], network.find_residents())
        assert f"cd {tmp_path} && make down" in refusal.value.hint
        network.down()
        assert name not in subprocess.check_output(["ip", "netns"], text=True)
    finally:
        subprocess.run(["ip", "netns", "delete", name], capture_output=True)
