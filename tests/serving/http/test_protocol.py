"""Limits on headers."""

import contextlib
import socket
import time

import pytest
from pushed_models import ROW
from running_server import RunningServer

from serving.http import protocol


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


@pytest.mark.slow
def test_a_connection_without_a_request_is_closed(server: RunningServer) -> None:
    with connect(server) as client:
        client.settimeout(protocol._HEADER_SECONDS + 30)
        client.sendall(b"POST /v1/models/tiny:predict HT")
        assert client.recv(1000) == b""
