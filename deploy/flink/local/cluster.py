"""Starts and ends the cluster: JobManager, two pods, and Beam's job server."""

from __future__ import annotations

import json
import shutil
import socket
import urllib.request
from collections.abc import Collection
from contextlib import suppress

from deploy import sessions
from deploy.flink.local.java import (
    JOB_PORT,
    PAGE_PORT,
    PORTS,
    job_server_command,
    jobmanager_command,
)
from deploy.flink.local.networks import PODS, Network, choose_network
from deploy.flink.local.places import BUILD, HERE, JARS, LOGS, ROOT, STATE, TEMPORARY
from deploy.flink.local.pod import pod_command
from deploy.jars import JarSet
from deploy.neighbours import refuse_neighbours
from deploy.sessions import Session
from pipeline.core.errors import PipelineError

ENDPOINT = f"localhost:{JOB_PORT}"
"""The address of Beam's job server."""
PAGE = f"http://localhost:{PAGE_PORT}"
"""The address of Flink's page and of its REST API."""
CLUSTER_JARS = JarSet("the Flink cluster", HERE, JARS, "python -m deploy.flink.local lock")
_POD = "pod-"
"""How the names of pods begin in the state file."""


def is_running() -> bool:
    """Returns whether all parts of the cluster run that this clone has started."""
    return sessions.are_alive(sessions.read_state(STATE).values())


def up(pods: int = len(PODS)) -> None:
    """Starts the cluster with so many pods unless it runs already.

    Raises:
      ConfigError: another cluster runs on this machine, or the jars cannot be had.
      PipelineError: a part of the cluster did not start.
    """
    running = sessions.read_state(STATE)
    if sessions.are_alive(running.values()) and _count_pods(running) == pods:
        _wait_until_ready(running)
        return
    down()
    network = choose_network()
    refuse_neighbours("the Flink cluster", "make flink-down", PORTS, network.find_residents())
    CLUSTER_JARS.get()
    for directory in (LOGS, TEMPORARY):
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
    _wait_until_ready(_start_all(network, pods))


def down() -> bool:
    """Ends all processes of the cluster; returns whether there was one."""
    running = sessions.read_state(STATE)
    sessions.end(running.values())
    if running:
        choose_network().down()
    shutil.rmtree(TEMPORARY, ignore_errors=True)
    STATE.unlink(missing_ok=True)
    return bool(running)


def _start_all(network: Network, pods: int) -> dict[str, Session]:
    BUILD.mkdir(parents=True, exist_ok=True)
    network.up()
    commands = {"jobmanager": jobmanager_command(network)}
    commands |= {f"{_POD}{number}": pod_command(network, number) for number in PODS[:pods]}
    commands["job-server"] = job_server_command()
    return sessions.start_all(commands, ROOT, LOGS, STATE)


def _wait_until_ready(running: dict[str, Session]) -> None:
    pods = _count_pods(running)
    try:
        sessions.wait_until_ready("the Flink cluster", running, lambda: _is_ready(pods), LOGS)
    except PipelineError:
        down()
        raise


def _count_pods(running: Collection[str]) -> int:
    return sum(name.startswith(_POD) for name in running)


def _is_ready(pods: int) -> bool:
    """Returns whether all TaskManagers have registered and the job server listens."""
    with suppress(OSError, ValueError):
        with urllib.request.urlopen(f"{PAGE}/overview", timeout=2) as answer:
            registered = json.load(answer)["taskmanagers"]
        with socket.create_connection(("localhost", JOB_PORT), timeout=1):
            return bool(registered == pods)
    return False
