"""The script that creates and enters networks, as another user would start it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from components.supervision import enter_network
from components.supervision.private_network import PrivateNetwork

_LOOK = """
import json, os, socket
with socket.create_server(("localhost", 0)) as server:
    socket.create_connection(server.getsockname()).close()
names = [name for _, name in socket.if_nameindex()]
print(json.dumps([names, os.geteuid(), os.getegid(), os.readlink("/proc/self/ns/user")]))
"""


@pytest.fixture
def network() -> PrivateNetwork:
    try:
        return PrivateNetwork()
    except OSError as error:
        pytest.skip(f"this machine allows no private network: {error}")


def test_a_command_finds_loopback_alone_and_keeps_its_user(network: PrivateNetwork) -> None:
    command = network.wrap([sys.executable, "-c", _LOOK])
    seen = subprocess.check_output(command, pass_fds=network.descriptors, text=True)
    network.close()
    own = os.readlink("/proc/self/ns/user")
    names, user, group, users = json.loads(seen)
    assert (user, group) == (os.geteuid(), os.getegid())
    assert "lo" in names
    # Kernels with built-in tunnels add interfaces such as sit0, which are down.
    assert "eth0" not in names
    # A user namespace would take root's right to read the files of other users.
    assert (users == own) == (os.geteuid() == 0)


def test_a_namespace_that_the_kernel_refuses_is_an_error() -> None:
    """A file that is no namespace stands for all reasons of the kernel."""
    with open(os.devnull) as no_namespace:
        command = [
            sys.executable,
            "-IS",
            enter_network.__file__,
            str(no_namespace.fileno()),
            "true",
        ]
        process = subprocess.run(
            command, pass_fds=[no_namespace.fileno()], capture_output=True, text=True, check=False
        )
    assert process.returncode == 1
    assert process.stderr.endswith("OSError: [Errno 22] Invalid argument\n")
