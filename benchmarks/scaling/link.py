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

ADDRESSES = ("10.77.20.1", "10.77.20.2")
BYTES_PER_SECOND = 1e9 / 8
DELAY_SECONDS = 0.001
"""In each direction."""
_MTU = 9000
"""Bytes of a packet: of jumbo frames, so that the relay takes little time from the workers."""
VARIABLE = "BENCHMARK_LINK"
"""Names the namespaces in the environment of workers that shall use the link."""


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
) -> Iterator[tuple[str, str]]:
    """Makes two namespaces and the link while the `with` statement lasts; yields their names."""
    # Other processes may have links of their own.
    number = os.getpid()
    namespaces = f"bench-link-{number}-1", f"bench-link-{number}-2"
    devices = f"link{number}-1", f"link{number}-2"
    command = [sys.executable, "-m", "benchmarks.scaling.relay", *devices]
    command += [str(bytes_per_second), str(delay)]
    # The open pipe to its input tells the relay that this process lives.
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as relay:
        try:
            assert relay.stdout is not None
            if not relay.stdout.readline():
                raise OSError("the relay ended at once")
            for namespace, device, address in zip(namespaces, devices, ADDRESSES, strict=True):
                _run(f"ip netns add {namespace}")
                _run(f"ip link set {device} netns {namespace}")
                _run(f"ip -n {namespace} address add {address}/24 dev {device}")
                _run(f"ip -n {namespace} link set {device} mtu {_MTU} up")
                _run(f"ip -n {namespace} link set lo up")
            yield namespaces
        finally:
            relay.kill()
            for namespace in namespaces:
                subprocess.run(["ip", "netns", "delete", namespace], capture_output=True)


@contextlib.contextmanager
def workers_on_link() -> Iterator[None]:
    """Makes the link, and sends the workers that are started meanwhile to it."""
    with make_link() as namespaces:
        os.environ[VARIABLE] = ",".join(namespaces)
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
        ["ip", "netns", "exec", environment[VARIABLE].split(",")[index]],
        {**environment, "TF_CONFIG": json.dumps(config)},
    )


def _run(command: str) -> None:
    subprocess.run(command.split(), check=True, capture_output=True)
