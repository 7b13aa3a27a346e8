"""Two workers reach each other over a link of 1 Gbit/s and 1 ms, and nothing else does."""

import json
import subprocess
import sys
from typing import Any

import pytest

from benchmarks.scaling.link import ADDRESSES, VARIABLE, enter_link, find_obstacle, make_link

SERVE = """
import socket, sys
server = socket.create_server((sys.argv[1], 5001))
print("ready", flush=True)
while True:
    connection, _ = server.accept()
    with connection:
        while data := connection.recv(1 << 20):
            if len(data) == 1:
                connection.sendall(data)
"""
ASK = """
import json, socket, sys, time
connection = socket.create_connection((sys.argv[1], 5001))
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
rounds = []
for _ in range(50):
    started = time.monotonic()
    connection.sendall(b"x")
    connection.recv(1)
    rounds.append(time.monotonic() - started)
started = time.monotonic()
connection.sendall(bytes(25_000_000))
connection.shutdown(socket.SHUT_WR)
connection.recv(1)
print(json.dumps({"round": min(rounds), "seconds": time.monotonic() - started}))
"""


def run_in(namespace: str, *command: str) -> list[str]:
    return ["ip", "netns", "exec", namespace, *command]


def test_each_worker_gets_the_addresses_of_the_link() -> None:
    cluster = {"worker": ["localhost:4001", "localhost:4002"]}
    config = json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 1}})
    prefix, environment = enter_link(1, {"TF_CONFIG": config, VARIABLE: "a,b"})
    changed: dict[str, Any] = json.loads(environment["TF_CONFIG"])
    assert changed["cluster"]["worker"] == [f"{ADDRESSES[0]}:4001", f"{ADDRESSES[1]}:4002"]
    assert changed["task"]["index"] == 1
    assert prefix == ["ip", "netns", "exec", "b"]


def test_the_link_is_as_slow_as_a_gigabit_and_a_millisecond() -> None:
    """A busy machine makes the link slower, never faster."""
    if obstacle := find_obstacle():
        pytest.skip(obstacle)
    with make_link() as namespaces:
        serve = run_in(namespaces[0], sys.executable, "-c", SERVE, ADDRESSES[0])
        with subprocess.Popen(serve, stdout=subprocess.PIPE) as server:
            try:
                assert server.stdout
                server.stdout.readline()
                ask = run_in(namespaces[1], sys.executable, "-c", ASK, ADDRESSES[0])
                done = subprocess.run(ask, capture_output=True, check=True, timeout=60)
                answer = json.loads(done.stdout)
            finally:
                server.kill()
    assert 0.002 <= answer["round"] < 0.02
    assert 0.2 <= answer["seconds"] < 5
    assert not {*namespaces} & {*_list_namespaces()}


def test_the_relay_ends_with_the_process_that_started_it() -> None:
    if obstacle := find_obstacle():
        pytest.skip(obstacle)
    command = [sys.executable, "-m", "benchmarks.scaling.relay", "linktest1", "linktest2", "1", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as relay:
        assert relay.stdin
        assert relay.stdout
        assert relay.stdout.readline() == b"ready\n"
        assert relay.poll() is None
        relay.stdin.close()
        assert relay.wait(timeout=30) == 0


def _list_namespaces() -> list[str]:
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in listed.stdout.splitlines()]
