"""Gives each pod an address of its own, so that two TaskManagers never share a pool of workers.

All TaskManagers look for their pool at localhost:50000, as in a pod of Kubernetes. As root, each
pod gets a network namespace, and so a localhost of its own. Without root, the pools listen at
different local addresses, 127.0.1.N, and a file of hosts tells each TaskManager that this address
is its localhost. That needs Linux: other systems have the address 127.0.0.1 alone.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from dataclasses import dataclass

import psutil

from deploy.flink.local.places import BUILD
from pipeline.core.errors import ConfigError

PODS = (1, 2)
POOL_PORT = 50000
_BRIDGE = "flink-local"
_NETWORK = "10.77.19"
_LOCAL = "127.0.0.1"


@dataclass(frozen=True)
class Network:
    """The addresses of one kind of network."""

    namespaces: bool

    @property
    def jobmanager(self) -> str:
        """The address at which TaskManagers find the JobManager."""
        return f"{_NETWORK}.1" if self.namespaces else _LOCAL

    def taskmanager(self, pod: int) -> str:
        """Returns the address at which others find a TaskManager."""
        return f"{_NETWORK}.{10 + pod}" if self.namespaces else _LOCAL

    def pool(self, pod: int) -> str:
        """Returns the address of a pod's pool, as the pod itself sees it."""
        return _LOCAL if self.namespaces else f"127.0.1.{pod}"

    def enter(self, pod: int) -> list[str]:
        """Returns the command before the command that shall run in the pod."""
        return ["ip", "netns", "exec", _namespace(pod)] if self.namespaces else []

    def java_flags(self, localhost: str) -> list[str]:
        """Returns the flags that tell a Java process which address `localhost` has."""
        if localhost == _LOCAL:
            return []
        hosts = BUILD / f"hosts-{localhost}"
        hosts.write_text(f"{localhost} localhost {socket.gethostname()}\n", encoding="utf-8")
        return [f"-Djdk.net.hosts.file={hosts}"]

    def up(self) -> None:
        """Makes the namespaces, and a bridge between them.

        Raises:
          ConfigError: an interface of this machine has addresses of this network, or the system
            refuses a part of it.
        """
        if not self.namespaces:
            return
        self.down()  # What a killed `up` has left.
        _refuse_taken_addresses()
        _run(f"ip link add {_BRIDGE} type bridge")
        _run(f"ip address add {self.jobmanager}/24 dev {_BRIDGE}")
        _run(f"ip link set {_BRIDGE} up")
        for pod in PODS:
            inside, outside = _namespace(pod), f"{_BRIDGE}{pod}"
            _run(f"ip netns add {inside}")
            _run(f"ip link add {outside} type veth peer name eth0 netns {inside}")
            _run(f"ip link set {outside} master {_BRIDGE} up")
            _run(f"ip -n {inside} address add {self.taskmanager(pod)}/24 dev eth0")
            _run(f"ip -n {inside} link set eth0 up")
            _run(f"ip -n {inside} link set lo up")

    def down(self) -> None:
        """Removes what `up` made, as far as it is there and no process lives in it."""
        if self.namespaces and not self.find_residents():
            for pod in PODS:
                _try(f"ip netns delete {_namespace(pod)}")
            _try(f"ip link delete {_BRIDGE}")

    def find_residents(self) -> list[tuple[str, int]]:
        """Returns the processes in the pods' namespaces, each with the name of its namespace."""
        names = map(_namespace, PODS) if self.namespaces else ()
        return [(name, int(line)) for name in names for line in _ask(f"ip netns pids {name}")]


def choose_network() -> Network:
    """Returns namespaces if this process may make them, else local addresses."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return Network(namespaces=False)
    probe = f"{_BRIDGE}-probe"
    may = _try(f"ip netns add {probe}") and _try(f"ip netns exec {probe} true")
    _try(f"ip netns delete {probe}")
    return Network(namespaces=may)


def _namespace(pod: int) -> str:
    return f"{_BRIDGE}-{pod}"


def _refuse_taken_addresses() -> None:
    """Raises ConfigError if another interface leads to the pods' addresses: it might win."""
    for interface, addresses in psutil.net_if_addrs().items():
        if any(found.address.startswith(f"{_NETWORK}.") for found in addresses):
            raise ConfigError(
                f"the addresses {_NETWORK}.0/24, which the Flink cluster needs, belong to the "
                f"interface {interface}",
                f"remove them (ip address flush dev {interface}), or start the cluster without "
                "root: it then needs local addresses only",
            )


def _run(command: str) -> None:
    result = subprocess.run(command.split(), capture_output=True, text=True)
    if result.returncode != 0:
        raise ConfigError(
            f"the network of the Flink cluster: `{command}` failed: {result.stderr.strip()}",
            "end what has the name, or start the cluster without root: it then needs no network",
        )


def _try(command: str) -> bool:
    return subprocess.run(command.split(), capture_output=True).returncode == 0


def _ask(command: str) -> list[str]:
    """Returns the lines of the command's output; none if it fails."""
    return subprocess.run(command.split(), capture_output=True, text=True).stdout.splitlines()
