"""Starts and ends the cluster: JobManager, two pods, and Beam's job server."""

from __future__ import annotations

import json
import shutil
import socket
import urllib.request
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


def is_running() -> bool:
    """Returns whether all parts of the cluster run that this clone has started."""
    running = sessions.read_state(STATE)
    return bool(running) and all(session.is_alive() for session in running.values())


def up() -> None:
    """Starts the cluster unless it runs already.

    Raises:
      ConfigError: another cluster runs on this machine, or the jars cannot be had.
      PipelineError: a part of the cluster did not start.
    """
    if is_running():
        _wait_until_ready(sessions.read_state(STATE))
        return
    down()
    network = choose_network()
    refuse_neighbours("the Flink cluster", "make flink-down", PORTS, network.find_residents())
    CLUSTER_JARS.get()
    for directory in (LOGS, TEMPORARY):
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
    _start_all(network)
    _wait_until_ready(sessions.read_state(STATE))


def down() -> bool:
    """Ends all processes of the cluster; returns whether there was one."""
    running = sessions.read_state(STATE)
    sessions.end(running.values())
    if running:
        choose_network().down()
    shutil.rmtree(TEMPORARY, ignore_errors=True)
    STATE.unlink(missing_ok=True)
    return bool(running)


def _start_all(network: Network) -> None:
    BUILD.mkdir(parents=True, exist_ok=True)
    network.up()
    commands = {"jobmanager": jobmanager_command(network)}
    commands |= {f"pod-{number}": pod_command(network, number) for number in PODS}
    commands["job-server"] = job_server_command()
    started: list[Session] = []
    for name, command in commands.items():
        started.append(sessions.start(name, command, ROOT, LOGS / f"{name}.log"))
        # After each start: `down` must find what an interrupted `up` has started.
        sessions.write_state(STATE, started)


def _wait_until_ready(running: dict[str, Session]) -> None:
    try:
        sessions.wait_until_ready("the Flink cluster", running, _is_ready, LOGS)
    except PipelineError:
        down()
        raise


def _is_ready() -> bool:
    """Returns whether both TaskManagers have registered and the job server listens."""
    with suppress(OSError, ValueError):
        with urllib.request.urlopen(f"{PAGE}/overview", timeout=2) as answer:
            registered = json.load(answer)["taskmanagers"]
        with socket.create_connection(("localhost", JOB_PORT), timeout=1):
            return bool(registered == len(PODS))
    return False
