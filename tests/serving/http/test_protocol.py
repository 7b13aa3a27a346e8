"""Limits on headers, times and connections."""

import asyncio
import contextlib
import socket
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import uvicorn
from pushed_models import ROW
from running_server import RunningServer

from serving.http import protocol
from serving.http.asgi import Response
from serving.http.protocol import make_protocol


def connect(server: RunningServer) -> socket.socket:
    host, port = server.address.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=60)


@pytest.mark.parametrize("start", [b"GET /", b"GET / HTTP/1.1\r\nX: "], ids=["path", "header"])
def test_endless_headers_are_refused(start: bytes, server: RunningServer) -> None:
    with connect(server) as client:
        client.sendall(start)
        received = b""
        started = time.monotonic()
        # The server closes while the client sends, which may lose the answer.
        with contextlib.suppress(ConnectionError):
            for _ in range(100):
                client.sendall(b"x" * 10_000)
            received = client.recv(1000)
        assert received == b"" or received.startswith(b"HTTP/1.1 400 ")
        assert time.monotonic() - started < protocol._HEADER_SECONDS / 2
    assert server.predict(ROW).status_code == 200


def test_what_is_no_http_is_refused(server: RunningServer) -> None:
    with connect(server) as client:
        client.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 400 ")


async def talk(
    app: Any, sent: bytes, check: Callable[[asyncio.StreamReader, uvicorn.Server], Awaitable[None]]
) -> None:
    """Sends bytes to a server whose transfers may take 0.3 s, and calls `check`."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, http=make_protocol(0.3, 2), lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve([listener]))
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    writer.write(sent)
    await asyncio.wait_for(check(reader, server), 30)
    writer.close()
    server.should_exit = True
    await serving


def test_a_body_that_does_not_come_ends_its_connection() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await Response(b"{}").send(send)

    async def check(reader: asyncio.StreamReader, server: uvicorn.Server) -> None:
        assert (await reader.read()).endswith(b"{}")

    asyncio.run(talk(app, b"GET / HTTP/1.1\r\nContent-Length: 10\r\n\r\n", check))


def test_a_client_that_never_reads_its_answer_is_disconnected() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await Response(bytes(50_000_000)).send(send)

    async def check(reader: asyncio.StreamReader, server: uvicorn.Server) -> None:
        while not server.server_state.total_requests:
            await asyncio.sleep(0.01)
        while server.server_state.connections:
            await asyncio.sleep(0.05)

    asyncio.run(talk(app, b"GET / HTTP/1.1\r\n\r\n", check))


@pytest.mark.slow
def test_a_connection_without_a_request_is_closed(server: RunningServer) -> None:
    with connect(server) as client:
        client.settimeout(protocol._HEADER_SECONDS + 30)
        client.sendall(b"POST /v1/models/tiny:predict HT")
        assert client.recv(1000) == b""
