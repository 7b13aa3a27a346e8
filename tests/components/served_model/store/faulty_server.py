"""A proxy before a store that fails at chosen requests, as servers and networks do."""

from __future__ import annotations

import contextlib
import http.client
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Fault = Literal["", "refuse", "lose answer", "cut", "hang"]
"""A refused request never reaches the server; one whose answer is lost was done."""
Decide = Callable[[str, str], Fault]
"""Gets the method and the path of a request."""


class FaultyServer:
    """The proxy; without a fault, it passes all requests on."""

    def __init__(self, endpoint: str) -> None:
        self._server = endpoint.removeprefix("http://")
        self._decide: Decide = lambda method, path: ""
        self.requests: list[tuple[str, str]] = []
        self.is_hanging = threading.Event()
        self._proxy = ThreadingHTTPServer(("127.0.0.1", 0), self._make_handler())
        self._proxy.daemon_threads = True
        threading.Thread(target=self._proxy.serve_forever, daemon=True).start()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._proxy.server_address[1]}"

    @contextlib.contextmanager
    def failing(self, decide: Decide) -> Iterator[None]:
        """Lets requests fail while the context lasts."""
        self._decide, former = decide, self._decide
        try:
            yield
        finally:
            self._decide = former

    def close(self) -> None:
        self._proxy.shutdown()
        self._proxy.server_close()

    def _make_handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _pass_on(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.requests.append((self.command, self.path))
                fault = outer._decide(self.command, self.path)
                if fault == "refuse":
                    self._answer(503, [], b"<Error><Code>SlowDown</Code></Error>")
                    return
                if fault == "hang":
                    outer.is_hanging.set()
                    threading.Event().wait()
                status, headers, content = outer._ask(self.command, self.path, self.headers, body)
                if fault == "lose answer":
                    self._answer(503, [], b"")
                else:
                    self._answer(status, headers, content, cut=fault == "cut")

            def _answer(
                self, status: int, headers: list[tuple[str, str]], content: bytes, cut: bool = False
            ) -> None:
                self.send_response_only(status)
                has_length = False
                for name, value in headers:
                    if name.lower() not in ("transfer-encoding", "connection"):
                        self.send_header(name, value)
                        has_length |= name.lower() == "content-length"
                if not has_length:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: len(content) // 2] if cut else content)
                self.close_connection = cut

            def log_message(self, format: str, *args: Any) -> None:
                pass

            do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _pass_on  # noqa: N815

        return Handler

    def _ask(
        self, method: str, path: str, headers: Any, body: bytes
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection(self._server, timeout=60)
        with contextlib.closing(connection):
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
