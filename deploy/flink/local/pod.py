"""A pod of the local cluster: a TaskManager and its pool of Python workers, which end together.

    python -m deploy.flink.local.pod NUMBER

If one of the two ends, the other is killed, and the pod starts again with two new processes, as
Kubernetes would replace it.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import psutil

from deploy.flink.local.java import taskmanager_command
from deploy.flink.local.networks import PODS, POOL_PORT, Network
from deploy.flink.local.places import ROOT
from pipeline.core.processes import INTERRUPTED, interrupted_when_terminated

_MODULE = "deploy.flink.local.pod"
_POLL_SECONDS = 0.1
_POOL_SECONDS = 120.0
"""How long a pool may take to listen: it imports Beam first."""
_SHORT_LIFE_SECONDS = 20.0
_MOST_SHORT_LIVES = 5
"""After so many short lives in a row, the pod gives up: the reason is in its log."""


def pod_command(network: Network, number: int) -> list[str]:
    """Returns the command that starts a pod inside its network."""
    kind = ["--namespaces"] if network.namespaces else []
    return [*network.enter(number), sys.executable, "-m", _MODULE, str(number), *kind]


def keep(network: Network, number: int) -> None:
    """Starts the pod again and again; returns when it lives too shortly."""
    short_lives = 0
    while short_lives < _MOST_SHORT_LIVES:
        started = time.monotonic()
        print(f"Pod {number}: {live(network, number)}.", flush=True)
        is_short = time.monotonic() - started < _SHORT_LIFE_SECONDS
        short_lives = short_lives + 1 if is_short else 0


def live(network: Network, number: int) -> str:
    """Runs a TaskManager and its pool until one of them ends; returns which one ended, and how."""
    running: dict[str, subprocess.Popen[bytes]] = {}
    host = network.pool(number)
    pool = [sys.executable, "-m", "pipeline.runners.worker_pool"]
    try:
        running["pool"] = _start([*pool, f"--host={host}", f"--port={POOL_PORT}"])
        wait_for_pool(running["pool"])
        running["TaskManager"] = _start(taskmanager_command(network, number))
        while True:
            for name, process in running.items():
                if process.poll() is not None:
                    return f"the {name} ended with code {process.returncode}"
            time.sleep(_POLL_SECONDS)
    finally:
        for process in running.values():
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    # A group of its own, so that it can be killed with all that it started.
    return subprocess.Popen(command, cwd=ROOT, preexec_fn=os.setpgrp)


def wait_for_pool(pool: subprocess.Popen[bytes]) -> None:
    """Waits until the pool listens, or ends.

    It does not try to connect: the system may choose the pool's own port for the connection, which
    then reaches itself, and the pool cannot listen for a minute.
    """
    deadline = time.monotonic() + _POOL_SECONDS
    while pool.poll() is None and not _listens(pool.pid) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)


def _listens(process: int) -> bool:
    with suppress(psutil.NoSuchProcess):
        sockets = psutil.Process(process).net_connections("tcp")
        return any(s.status == psutil.CONN_LISTEN and s.laddr.port == POOL_PORT for s in sockets)
    return False


def main() -> int:
    """Keeps the pod alive until SIGTERM; returns the exit code."""
    parser = argparse.ArgumentParser(description="A TaskManager with its Python workers.")
    parser.add_argument("number", type=int, choices=PODS)
    parser.add_argument("--namespaces", action="store_true")
    arguments = parser.parse_args()
    network = Network(namespaces=arguments.namespaces)
    try:
        with interrupted_when_terminated():
            keep(network, arguments.number)
    except KeyboardInterrupt:
        return INTERRUPTED
    return 1


if __name__ == "__main__":
    sys.exit(main())
