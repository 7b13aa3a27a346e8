"""Limits on headers, times and connections."""

import asyncio
import contextlib
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
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
    app: Any,
    sent: bytes | Sequence[bytes],
    check: Callable[[asyncio.StreamReader, uvicorn.Server], Awaitable[None]],
    **times: float,
) -> None:
    """Sends bytes to a server, in parts that arrive one by one, and calls `check`."""
    protocol = make_protocol(times.pop("transfer", 0.3), 2)
    config = uvicorn.Config(app, http=protocol, lifespan="off", log_config=None, **times)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as client:
        # Few bytes of an answer leave the server before the client reads.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        serving = asyncio.create_task(server.serve([listener]))
        client.connect(listener.getsockname())
        reader, writer = await asyncio.open_connection(sock=client, limit=1000)
        for part in [sent] if isinstance(sent, bytes) else sent:
            writer.write(part)
            await asyncio.sleep(0.05)
        await asyncio.wait_for(check(reader, server), 30)
        writer.close()
        server.should_exit = True
        await serving


async def answer_shortly(scope: Any, receive: Any, send: Any) -> None:
    """Reads no body."""
    await Response(b"{}").send(send)


async def read_to_the_end(reader: asyncio.StreamReader, server: uvicorn.Server) -> None:
    """Waits until the server closes the connection, whatever it sent."""
    assert (await reader.read()).endswith(b"{}")


async def wait_for_close(reader: asyncio.StreamReader, server: uvicorn.Server) -> None:
    """Waits until the server has no connection, without reading."""
    while not server.server_state.total_requests:
        await asyncio.sleep(0.01)
    while server.server_state.connections:
        await asyncio.sleep(0.05)


def test_a_body_behind_the_second_read_of_the_headers_is_no_header() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        size, more = 0, True
        while more:
            message = await receive()
            size, more = size + len(message["body"]), message["more_body"]
        await Response(b"%d" % size).send(send)

    async def check(reader: asyncio.StreamReader, server: uvicorn.Server) -> None:
        assert (await reader.read()).endswith(b"\r\n\r\n200000")

    start = b"POST / HTTP/1.1\r\nConnection: close\r\n"
    rest = b"Content-Length: 200000\r\n\r\n" + b"x" * 200_000
    asyncio.run(talk(app, [start, rest], check, transfer=30))


def test_large_headers_are_refused_even_if_they_arrive_in_one_read() -> None:
    async def check(reader: asyncio.StreamReader, server: uvicorn.Server) -> None:
        assert (await reader.read()).endswith(b"The headers are too large.")

    headers = b"".join(b"name-%d: %s\r\n" % (n, b"x" * 1000) for n in range(80))
    asyncio.run(talk(answer_shortly, b"GET / HTTP/1.1\r\n" + headers + b"\r\n", check))


def test_a_connection_with_many_waiting_requests_is_closed() -> None:
    calls = 0

    async def app(scope: Any, receive: Any, send: Any) -> None:
        nonlocal calls
        calls += 1
        await asyncio.sleep(0.2)

    async def check(reader: asyncio.StreamReader, server: uvicorn.Server) -> None:
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert answer.endswith(b"More than 16 requests wait on this connection.")

    asyncio.run(talk(app, b"GET / HTTP/1.1\r\n\r\n" * 20, check, transfer=30))
    assert calls == 1


def test_endless_trailers_are_refused() -> None:
    start = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    trailers = [b"name: " + b"x" * 40_000 + b"\r\n"] * 3
    # Long before the time of the body is over.
    asyncio.run(talk(answer_shortly, [start, *trailers], wait_for_close, transfer=60))


@pytest.mark.parametrize(
    "sent",
    [
        [b"GET / HTTP/1.1\r\n\r\n", b"\r\n"],
        [b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n", b"{}"],
    ],
    ids=["an empty line", "a body after its answer"],
)
def test_what_begins_no_request_leaves_the_connection_idle(sent: list[bytes]) -> None:
    """uvicorn itself would keep it open for ever."""
    times = {"transfer": 30, "timeout_keep_alive": 0.3}
    asyncio.run(talk(answer_shortly, sent, read_to_the_end, **times))


@pytest.mark.parametrize("connection", [b"close", b"keep-alive"])
def test_a_small_answer_that_nobody_reads_keeps_no_connection(connection: bytes) -> None:
    """It is smaller than what pauses the writing."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await Response(bytes(60_000)).send(send)

    request = b"GET / HTTP/1.1\r\nConnection: " + connection + b"\r\n\r\n"
    asyncio.run(talk(app, request, wait_for_close, timeout_keep_alive=0.3))


def test_a_body_that_does_not_come_ends_its_connection() -> None:
    sent = b"GET / HTTP/1.1\r\nContent-Length: 10\r\n\r\n"
    asyncio.run(talk(answer_shortly, sent, read_to_the_end))


def test_a_client_that_never_reads_its_answer_is_disconnected() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await Response(bytes(50_000_000)).send(send)

    asyncio.run(talk(app, b"GET / HTTP/1.1\r\n\r\n", wait_for_close))


@pytest.mark.slow
def test_a_connection_without_a_request_is_closed(server: RunningServer) -> None:
    with connect(server) as client:
        client.settimeout(protocol._HEADER_SECONDS + 30)
        client.sendall(b"POST /v1/models/tiny:predict HT")
        assert client.recv(1000) == b""
