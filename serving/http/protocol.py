"""uvicorn's HTTP protocol with limits on headers, which uvicorn itself does not have.

Without them, a client can hold a connection forever, or send headers until the memory is full.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_HEADER_SECONDS = 20.0
"""How long a new connection may take until its first request's headers are complete."""
_HEADER_BYTES = 65_536
"""The most bytes of the URL and the headers of a request, as in other servers."""


class LimitedProtocol(HttpToolsProtocol):
    """Closes connections whose headers are too slow or too large."""

    _header_bytes = 0
    _header_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._header_timer = self.loop.call_later(_HEADER_SECONDS, transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        self._header_bytes = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._stop_timer()
        super().on_headers_complete()

    def _count(self, size: int) -> None:
        self._header_bytes += size
        if self._header_bytes > _HEADER_BYTES:
            # The parser passes it on as a parser error, which uvicorn answers with status 400.
            raise ValueError("the headers are too large")

    def _stop_timer(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None
