"""A load generator: clients that send the next request when they have the answer to the last.

It runs in a process of its own and speaks HTTP with httptools, as the server does: it takes about
as much CPU time as a C program, which matters when both share the machine.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import httptools
import numpy as np
import uvloop


@dataclass(frozen=True)
class Load:
    """What a load generator does."""

    host: str
    port: int
    path: str
    bodies: str
    """A file with a JSON body on each line; the clients send them in turns."""
    clients: int
    seconds: float
    requests: int = 0
    """The number of requests after which the load ends; 0 for no such end."""
    warm_up_seconds: float = 1.0
    """The seconds at the beginning that are not measured."""
    reconnects: bool = False
    """Whether the server may close the connection after an answer, as `flask run` does."""


@dataclass(frozen=True)
class Measured:
    """What a load generator saw after the warm-up."""

    requests: int
    seconds: float
    p50: float
    """Milliseconds."""
    p99: float
    failed: dict[str, int]
    """The number of answers without status 200 by their cause, those of the warm-up included."""

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds


def start_load(load: Load) -> subprocess.Popen[str]:
    """Starts the generator in a process; `read_load` waits for its result."""
    command = (sys.executable, "-m", "benchmarks.serving.load", json.dumps(asdict(load)))
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def read_load(process: subprocess.Popen[str]) -> Measured:
    """Returns what the generator measured."""
    output, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(f"the load generator ended with {process.returncode}")
    return Measured(**json.loads(output))


def run_load(load: Load) -> Measured:
    """Runs the generator and returns what it measured."""
    return read_load(start_load(load))


class _Client(asyncio.Protocol):
    """One connection with one request at a time.

    The time of its first request begins with the connection where a client connects for each one.
    """

    def __init__(self, run: _Run, requests: Sequence[bytes], start: int) -> None:
        self._run = run
        self._requests = requests
        self._next = start
        self._sent = time.perf_counter()
        self._is_done = False
        self._transport: asyncio.Transport
        self._parser = httptools.HttpResponseParser(self)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        self._send()

    def _send(self) -> None:
        self._transport.write(self._requests[self._next % len(self._requests)])
        self._next += 1

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        status = self._parser.get_status_code()
        goes_on = self._run.count(time.perf_counter() - self._sent, status)
        if goes_on and self._parser.should_keep_alive():
            self._sent = time.perf_counter()
            self._send()
            return
        self._is_done = True
        self._transport.close()
        if goes_on:
            self._run.connect_again(self._next)

    def connection_lost(self, error: Exception | None) -> None:
        if not self._is_done and not self._run.is_over:
            self._run.fail(f"connection lost: {error}")
        self._run.client_ended()


class _Run:
    """The clients of one load."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._requests = self._make_requests()
        self._latencies: list[float] = []
        self._failed: dict[str, int] = {}
        self._total = 0
        self._living = load.clients
        self._ended = asyncio.Event()
        self._connecting: set[asyncio.Task[None]] = set()
        self._started = time.perf_counter()
        self._last = self._started
        self.is_over = False

    async def run(self) -> Measured:
        for number in range(self._load.clients):
            await self._connect(number * 7)
        await self._ended.wait()
        p50, p99 = np.percentile(self._latencies, (50, 99)) * 1e3 if self._latencies else (0, 0)
        seconds = self._last - self._started - self._load.warm_up_seconds
        return Measured(len(self._latencies), seconds, float(p50), float(p99), self._failed)

    async def _connect(self, start: int) -> None:
        client = _Client(self, self._requests, start)
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: client, self._load.host, self._load.port)

    def connect_again(self, start: int) -> None:
        """Connects a client whose connection the server closed after its answer."""
        if not self._load.reconnects:
            self.fail("connection closed by the server")
            return
        self._living += 1
        task = asyncio.ensure_future(self._connect(start))
        self._connecting.add(task)
        task.add_done_callback(self._connected)

    def _connected(self, task: asyncio.Task[None]) -> None:
        self._connecting.discard(task)
        if task.exception():
            self.fail(f"no connection: {task.exception()}")
            self.client_ended()

    def _make_requests(self) -> Sequence[bytes]:
        bodies = Path(self._load.bodies).read_bytes().splitlines()
        head = f"POST {self._load.path} HTTP/1.1\r\nHost: {self._load.host}\r\n"
        head += "Content-Type: application/json\r\nContent-Length: "
        return [f"{head}{len(body)}\r\n\r\n".encode() + body for body in bodies]

    def count(self, seconds: float, status: int) -> bool:
        """Counts an answer; returns whether the client goes on."""
        self._last = time.perf_counter()
        age = self._last - self._started
        self._total += 1
        if status != 200:
            self.fail(f"status {status}")
        elif age >= self._load.warm_up_seconds:
            self._latencies.append(seconds)
        limit = self._load.requests
        if age >= self._load.seconds + self._load.warm_up_seconds or (
            limit and self._total >= limit
        ):
            self.is_over = True
        return not self.is_over

    def fail(self, cause: str) -> None:
        self._failed[cause] = self._failed.get(cause, 0) + 1

    def client_ended(self) -> None:
        self._living -= 1
        if not self._living:
            self._ended.set()


def main() -> None:
    """Runs the load that the first argument describes, and prints what it measured."""

    async def run() -> Measured:
        return await _Run(Load(**json.loads(sys.argv[1]))).run()

    print(json.dumps(asdict(uvloop.run(run()))))


if __name__ == "__main__":
    main()
