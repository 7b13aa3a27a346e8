"""Real servers of S3's protocol for tests, in this process: moto's, and a proxy that disturbs."""

from __future__ import annotations

import http.client
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_REGION": "us-east-1",
}

Fault = Literal["", "503", "403", "truncated", "dropped", "slow"]


@dataclass(frozen=True)
class Bucket:
    """A bucket of a server that runs in this process."""

    name: str
    endpoint: str
    client: Any
    """boto3's, which tests write with: it shares no code with what they test."""

    def url(self, key: str) -> str:
        return f"s3://{self.name}/{key}"

    def put(self, key: str, content: bytes) -> str:
        self.client.put_object(Bucket=self.name, Key=key, Body=content)
        return self.url(key)

    def environment(self, endpoint: str = "") -> dict[str, str]:
        return {**CREDENTIALS, "AWS_ENDPOINT_URL": endpoint or self.endpoint}


@contextmanager
def serve_s3(address: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Yields the endpoint of an empty store; port 0 is any free one."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address=address, port=port, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def make_bucket(endpoint: str, name: str) -> Bucket:
    import boto3

    client = boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name=CREDENTIALS["AWS_REGION"],
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
    )
    client.create_bucket(Bucket=name)
    return Bucket(name, endpoint, client)


@dataclass
class Proxy:
    """A server before a store, which disturbs the requests that `faults` lists, in their order."""

    endpoint: str
    faults: list[Fault] = field(default_factory=list)
    forever: Fault = ""
    """The fault of all requests after those of `faults`."""
    methods: tuple[str, ...] = ("GET", "HEAD", "PUT", "POST", "DELETE")
    """The methods that are disturbed."""
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, path, and range of each request, in their order."""

    def next_fault(self, method: str) -> Fault:
        if method not in self.methods:
            return ""
        return self.faults.pop(0) if self.faults else self.forever


@contextmanager
def serve_proxy(upstream: str, seconds_slow: float = 3.0) -> Iterator[Proxy]:
    """Yields a proxy of the store at `upstream`, which disturbs nothing yet."""
    host = upstream.removeprefix("http://")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass_on(self) -> None:
            proxy.requests.append((self.command, self.path, self.headers.get("Range", "")))
            size = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(size)
            fault = proxy.next_fault(self.command)
            if fault == "dropped":
                self.close_connection = True
                self.connection.close()
                return
            if fault == "slow":
                time.sleep(seconds_slow)
            if fault in ("503", "403"):
                code = "SlowDown" if fault == "503" else "AccessDenied"
                self._answer(int(fault), {}, f"<Error><Code>{code}</Code></Error>".encode())
                return
            connection = http.client.HTTPConnection(host)
            connection.request(self.command, self.path, body, dict(self.headers))
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            sizes = {"Content-Length": answer.getheader("Content-Length") or str(len(content))}
            kept = {k: v for k, v in answer.getheaders() if k.lower() not in _HOP_BY_HOP}
            part = content[: len(content) // 2] if fault == "truncated" else content
            self._answer(answer.status, {**kept, **sizes}, part)
            if fault == "truncated":
                self.close_connection = True

        def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response_only(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, *unused: object) -> None:
            """Not into the tests' output."""

    for method in ("GET", "HEAD", "PUT", "POST", "DELETE"):
        setattr(Handler, f"do_{method}", Handler._pass_on)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    proxy = Proxy(f"http://127.0.0.1:{server.server_address[1]}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()


_HOP_BY_HOP = ("connection", "content-length", "transfer-encoding", "keep-alive")
