"""Places for connections, with and without a server."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import socket
from pathlib import Path

import pytest
import uvicorn

from serving.http import connections
from serving.http.access_log import AccessLog
from serving.http.app import App
from serving.http.body import BodyReader
from serving.http.connections import Places, limit_connections
from serving.http.predict import Predictor
from serving.http.protocol import make_protocol
from serving.http.tensorflow_api import TensorflowApi
from serving.model.batcher import BatchLimits
from serving.model.versions import Versions


class Connection:
    def __init__(self) -> None:
        self.is_closed = False

    def abort(self) -> None:
        self.is_closed = True


def test_the_oldest_connection_without_a_place_gives_way() -> None:
    places = Places(1)
    first, *surplus = (Connection() for _ in range(connections._MOST_SURPLUS + 2))
    assert places.take(first)
    assert not any(map(places.take, surplus))
    assert [c.is_closed for c in (first, *surplus)] == [False, True, *[False] * (len(surplus) - 1)]
    places.leave(first)
    assert places.take(Connection())
    assert not places.take(Connection())


def test_two_apis_leave_files_to_the_model() -> None:
    files, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (300, hard))
        assert (limit_connections(50), limit_connections(4096)) == (50, 100)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))


def test_health_is_answered_while_idle_connections_have_all_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when they are more than may stay without a place; other requests get 503."""
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))

    async def main() -> tuple[str, str]:
        versions = Versions("tiny", BatchLimits(1, 0.0, 1), 1)
        api = TensorflowApi(versions, Predictor(versions, BodyReader(1000), 1, 1.0))
        app = App(versions, api, AccessLog(False), None, open_metrics=False)
        listener = socket.create_server(("127.0.0.1", 0))
        protocol = make_protocol(30, 2)
        config = uvicorn.Config(app, http=protocol, lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve([listener]))

        async def ask(path: str) -> str:
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            # To its end: the server closes the connection.
            answer = await asyncio.wait_for(reader.read(), 20)
            writer.close()
            return answer.decode().lower()

        with contextlib.ExitStack() as stack:
            for _ in range(2 * connections._MOST_SURPLUS):
                stack.enter_context(socket.create_connection(listener.getsockname()))
            answers = await ask("/v1/models/tiny"), await ask("/healthz")
        server.should_exit = True
        await serving
        return answers

    refused, health = asyncio.run(main())
    assert refused.startswith("http/1.1 503 ")
    assert "retry-after: 1" in refused
    assert "serving.server.max_connections" in refused
    assert health.startswith("http/1.1 200 ")
