"""The processes that the benchmark measures: the floor, the naive server and this project's."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from benchmarks.measuring.process import ROOT

_START_SECONDS = 120.0
_QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3"}


def measure_floor(model: Path, bodies: Path, seconds: float) -> dict[str, float]:
    """Returns rows_per_second, and p50 and p99 of a call in milliseconds."""
    command = (sys.executable, "-W", "ignore", "-m", "benchmarks.serving.floor")
    done = subprocess.run(
        [*command, str(model), str(bodies), str(seconds)],
        cwd=ROOT,
        env={**os.environ, **_QUIET},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


@contextlib.contextmanager
def run_naive(model: Path, log: Path) -> Iterator[int]:
    """Runs the naive server; yields its port."""
    port = find_free_port()
    command = (sys.executable, "-W", "ignore", "-m", "benchmarks.serving.naive")
    with _run([*command, str(model), str(port)], log) as process:
        _wait_for(lambda: _connects(port), process, log)
        yield port


@contextlib.contextmanager
def run_ours(serving: Path, workers: int, log: Path) -> Iterator[tuple[int, psutil.Process]]:
    """Runs this project's server; yields its port and its supervisor."""
    port = find_free_port()
    options = ["--model", str(serving), "--name", "model", "--port", str(port)]
    options += ["--workers", str(workers)]
    with _run([sys.executable, "-m", "pipeline", "serve", *options], log) as process:
        _wait_for(lambda: _connects(port), process, log)
        yield port, psutil.Process(process.pid)


def find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


def read_json(port: int, path: str) -> dict[str, object]:
    """Returns what the server answers to a GET request."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
        content: dict[str, object] = json.load(answer)
    return content


@contextlib.contextmanager
def _run(command: Sequence[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with open(log, "wb") as file:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **_QUIET}, stdout=file, stderr=file
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait()


def _connects(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _wait_for(condition: object, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + _START_SECONDS
    while not condition():  # type: ignore[operator]
        if process.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"the server did not start: see {log}")
        time.sleep(0.1)
