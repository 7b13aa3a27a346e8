"""Two network namespaces, and a slow link between them, for two workers.

Each worker is on a machine of its own, as far as its network goes: the other worker has another
address, and only the link leads there.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

NAMESPACES = ("bench-link-1", "bench-link-2")
ADDRESSES = ("10.77.20.1", "10.77.20.2")
BYTES_PER_SECOND = 1e9 / 8
DELAY_SECONDS = 0.001
"""In each direction."""
_DEVICES = ("benchlink1", "benchlink2")
_MTU = 9000
"""Bytes of a packet: of jumbo frames, so that the relay takes little time from the workers."""
VARIABLE = "BENCHMARK_LINK"
"""In the environment of workers that shall use the link."""


def find_obstacle() -> str | None:
    """Returns why there can be no link here, or None."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "only root on Linux can make network namespaces"
    if shutil.which("ip") is None:
        return "the command ip is missing: apt-get install iproute2"
    if not Path("/dev/net/tun").exists():
        return "this machine has no /dev/net/tun"
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(make_link())
        except (OSError, subprocess.CalledProcessError) as error:
            return f"this machine allows no link: {error}"
    return None


@contextlib.contextmanager
def make_link(
    bytes_per_second: float = BYTES_PER_SECOND, delay: float = DELAY_SECONDS
) -> Iterator[None]:
    """Makes the namespaces and the link while the `with` statement lasts."""
    _remove_namespaces()
    command = [sys.executable, "-m", "benchmarks.scaling.relay", *_DEVICES]
    command += [str(bytes_per_second), str(delay)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as relay:
        try:
            assert relay.stdout is not None
            if not relay.stdout.readline():
                raise OSError("the relay ended at once")
            for namespace, device, address in zip(NAMESPACES, _DEVICES, ADDRESSES, strict=True):
                _run(f"ip netns add {namespace}")
                _run(f"ip link set {device} netns {namespace}")
                _run(f"ip -n {namespace} address add {address}/24 dev {device}")
                _run(f"ip -n {namespace} link set {device} mtu {_MTU} up")
                _run(f"ip -n {namespace} link set lo up")
            yield
        finally:
            relay.kill()
            _remove_namespaces()


@contextlib.contextmanager
def workers_on_link() -> Iterator[None]:
    """Makes the link, and sends the workers that are started meanwhile to it."""
    with make_link():
        os.environ[VARIABLE] = "1"
        try:
            yield
        finally:
            del os.environ[VARIABLE]


def enter_link(index: int, environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Returns what comes before the command of a worker, and its environment, on the link."""
    config = json.loads(environment["TF_CONFIG"])
    workers = config["cluster"]["worker"]
    config["cluster"]["worker"] = [
        f"{address}:{worker.rpartition(':')[2]}"
        for address, worker in zip(ADDRESSES, workers, strict=True)
    ]
    return (
        ["ip", "netns", "exec", NAMESPACES[index]],
        {**environment, "TF_CONFIG": json.dumps(config)},
    )


def _remove_namespaces() -> None:
    for namespace in NAMESPACES:
        subprocess.run(["ip", "netns", "delete", namespace], capture_output=True)


def _run(command: str) -> None:
    subprocess.run(command.split(), check=True, capture_output=True)
