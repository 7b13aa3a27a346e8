"""A pod of the local cluster; tests/engine/ kills its processes."""

import socket
import subprocess
import sys

import pytest

from deploy.flink.local import pod

LISTEN = """
import socket, sys, time
time.sleep(0.5)
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
server.settimeout(1)
try:
    server.accept()
except TimeoutError:
    sys.exit(0)
sys.exit(1)
"""


def test_a_pod_waits_for_its_pool_without_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection to a free port can reach itself, and the pool then finds its port in use."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setattr(pod, "POOL_PORT", port)
    with subprocess.Popen([sys.executable, "-c", LISTEN, str(port)]) as pool:
        pod.wait_for_pool(pool)
        assert pool.poll() is None
    assert pool.returncode == 0


def test_a_pod_does_not_wait_for_a_pool_that_has_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"]) as pool:
        pod.wait_for_pool(pool)
    assert pool.returncode == 3
