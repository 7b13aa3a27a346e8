"""Beam's own job server and worker pool as real processes: an engine without Flink."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.core.processes import end_group

_HERE = Path(__file__).parent
_SERVER = "apache_beam.runners.portability.local_job_service_main"
_POOL = "apache_beam.runners.worker.worker_pool_main"


def free_port() -> int:
    """Returns a port that no process has."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running_engine(log: Path) -> Iterator[list[str]]:
    """Starts both processes, and yields the assignments of `engine` that use them."""
    server, pool = free_port(), free_port()
    with (
        _running([_SERVER, "-p", str(server)], log.with_suffix(".server")),
        _running([_POOL, f"--service_port={pool}"], log.with_suffix(".pool")),
    ):
        _wait_until_open(server)
        _wait_until_open(pool)
        yield [
            "engine.kind=spark",
            f"engine.endpoint=localhost:{server}",
            f"engine.worker_pool=localhost:{pool}",
            # This server ends its streams with the first call's deadline of 60 seconds.
            "beam.args=[--job_server_timeout=900]",
        ]


def _wait_until_open(port: int) -> None:
    """Waits until the process listens; it imports Beam first."""
    deadline = time.monotonic() + 600
    while True:
        try:
            socket.create_connection(("localhost", port), 1).close()
        except OSError:
            assert time.monotonic() < deadline, port
            time.sleep(0.2)
        else:
            return


@contextlib.contextmanager
def _running(module: Sequence[str], log: Path) -> Iterator[None]:
    # The pool starts `python`, which imports this project and the functions of the tests.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    modules = os.pathsep.join(map(str, (_HERE.parents[2], _HERE)))
    with open(log, "wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", *module],
            stdout=file,
            stderr=file,
            env={**os.environ, "PATH": path, "PYTHONPATH": modules},
            start_new_session=True,
        )
    try:
        yield
    finally:
        end_group(process, 5)
