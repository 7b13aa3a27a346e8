"""A real pool with real harnesses: it ends when one of them dies."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import psutil
import pytest
from apache_beam.portability.api import beam_fn_api_pb2, beam_fn_api_pb2_grpc

ROOT = Path(__file__).parents[3]
SECONDS = 60


@dataclass
class Pool:
    process: "subprocess.Popen[str]"
    port: int

    def call(self, method: str, request: object) -> None:
        with grpc.insecure_channel(f"127.0.0.1:{self.port}") as channel:
            stub = beam_fn_api_pb2_grpc.BeamFnExternalWorkerPoolStub(channel)
            getattr(stub, method)(request, wait_for_ready=True, timeout=SECONDS)

    def start_harness(self, worker: str, engine: str) -> psutil.Process:
        known = set(psutil.Process(self.process.pid).children())
        request = beam_fn_api_pb2.StartWorkerRequest(worker_id=worker)
        request.control_endpoint.url = engine
        self.call("StartWorker", request)
        (harness,) = set(psutil.Process(self.process.pid).children()) - known
        return harness

    def stop_harness(self, worker: str) -> None:
        self.call("StopWorker", beam_fn_api_pb2.StopWorkerRequest(worker_id=worker))

    def end(self) -> tuple[int, str]:
        _, output = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, output


@pytest.fixture
def engine() -> Iterator[str]:
    """The address of an engine that never answers, so that a harness waits for a minute."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
def pool() -> Iterator[Pool]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "pipeline.runners.worker_pool", f"--port={port}"],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield Pool(process, port)
        process.kill()


@pytest.mark.slow
def test_the_pool_ends_when_a_harness_dies(pool: Pool, engine: str) -> None:
    # A harness that the engine stopped has not died.
    stopped = pool.start_harness("1-1", engine)
    pool.stop_harness("1-1")
    assert not stopped.is_running()
    killed, other = (pool.start_harness(worker, engine) for worker in ("1-2", "1-3"))
    assert pool.process.poll() is None
    os.kill(killed.pid, signal.SIGKILL)
    code, output = pool.end()
    assert code == 1
    reason = "the harness 1-2 died with signal 9; the pool ends, so that its pod is replaced."
    assert reason in output
    assert not other.is_running()


@pytest.mark.slow
def test_a_harness_ends_with_a_killed_pool(pool: Pool, engine: str) -> None:
    harness = pool.start_harness("1-1", engine)
    pool.process.kill()
    deadline = time.monotonic() + SECONDS
    while harness.is_running() and harness.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_port_in_use_is_named(engine: str) -> None:
    port = engine.rpartition(":")[2]
    command = [sys.executable, "-m", "pipeline.runners.worker_pool", f"--port={port}"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 1
    assert f"cannot listen at 127.0.0.1:{port}" in result.stderr
