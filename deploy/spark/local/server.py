"""Starts and ends Beam's job server for Spark, which holds a Spark of its own, and a worker pool.

Spark's master is `local[2]`: two threads of the job server. So there is no cluster to lose a part
of. In a cluster, the job server gets the address of the master instead.
"""

from __future__ import annotations

import shutil
import socket
import sys
from contextlib import suppress
from pathlib import Path

from deploy import sessions
from deploy.jars import JarSet
from deploy.neighbours import refuse_neighbours
from pipeline.core.errors import PipelineError

HERE = Path(__file__).parent
_ROOT = HERE.parents[2]
_BUILD = _ROOT / "build/spark"
LOGS = _BUILD / "logs"
_TEMPORARY = _BUILD / "temporary"
_STATE = _BUILD / "state.json"
# Others than Flink's, so that both engines can run.
_JOB_PORT, _ARTIFACT_PORT, _POOL_PORT = 8199, 8198, 50100
ENDPOINT = f"localhost:{_JOB_PORT}"
"""The address of Beam's job server."""
POOL = f"localhost:{_POOL_PORT}"
"""The address of the worker pool."""
_LOCK_COMMAND = "python -m deploy.spark.local lock"
SERVER_JARS = JarSet("Beam's job server for Spark", HERE, _BUILD / "jars", _LOCK_COMMAND)


def up() -> None:
    """Starts both processes unless they run already.

    Raises:
      ConfigError: another process has their ports, or the jars cannot be had.
      PipelineError: one of them did not start.
    """
    running = sessions.read_state(_STATE)
    if sessions.are_alive(running.values()):
        return
    down()
    ports = (_JOB_PORT, _ARTIFACT_PORT, _POOL_PORT)
    refuse_neighbours(SERVER_JARS.program, "python -m deploy.spark.local down", ports)
    SERVER_JARS.get()
    for directory in (LOGS, _TEMPORARY):
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
    commands = {"job-server": _server_command(), "pool": _pool_command()}
    running = sessions.start_all(commands, _ROOT, LOGS, _STATE)
    try:
        sessions.wait_until_ready(SERVER_JARS.program, running, _is_ready, LOGS)
    except PipelineError:
        down()
        raise


def down() -> bool:
    """Ends both processes; returns whether there were any."""
    running = sessions.read_state(_STATE)
    sessions.end(running.values())
    shutil.rmtree(_TEMPORARY, ignore_errors=True)
    _STATE.unlink(missing_ok=True)
    return bool(running)


def _server_command() -> list[str]:
    settings = {
        "java.io.tmpdir": str(_TEMPORARY),
        "spark.local.dir": str(_TEMPORARY),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
    }
    return [
        *("java", "-Xmx1g", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError"),
        f"@{HERE / 'java.args'}",
        *(f"-D{key}={value}" for key, value in settings.items()),
        *("-cp", f"{SERVER_JARS.directory}/*"),
        "org.apache.beam.runners.spark.SparkJobServerDriver",
        *("--spark-master-url", "local[2]"),
        *("--job-host", "localhost", "--job-port", str(_JOB_PORT)),
        *("--artifact-port", str(_ARTIFACT_PORT), "--expansion-port", "0"),
        *("--artifacts-dir", str(_TEMPORARY / "staged")),
    ]


def _pool_command() -> list[str]:
    pool = [sys.executable, "-m", "pipeline.runners.worker_pool"]
    return [*pool, "--host=127.0.0.1", f"--port={_POOL_PORT}"]


def _is_ready() -> bool:
    with suppress(OSError):
        for port in (_JOB_PORT, _POOL_PORT):
            socket.create_connection(("localhost", port), timeout=1).close()
        return True
    return False
