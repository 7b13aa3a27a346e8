"""uvicorn's HTTP protocol with limits on headers, which uvicorn itself does not have.

Without them, a client can hold a connection forever, or send headers until the memory is full.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_HEADER_SECONDS = 20.0
"""How long the headers of a request may take, from the connection or from their first byte."""
_TLS_CLOSE_SECONDS = 1.0
_HEADER_BYTES = 65_536
"""The most bytes of the URL and the headers of a request, as in other servers."""


class LimitedProtocol(HttpToolsProtocol):
    """Closes connections whose headers are too slow or too large."""

    _header_bytes = 0
    _header_timer: asyncio.TimerHandle | None = None
    """Runs while headers are expected."""
    _is_in_headers = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        # Counted here and not in `on_header`: the parser calls that at the end of a header.
        if self._is_in_headers:
            self._header_bytes += len(data)
            if self._header_bytes > _HEADER_BYTES:
                self.send_400_response("The headers are too large.")
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        self._is_in_headers, self._header_bytes = True, 0
        self._start_timer()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._is_in_headers = False
        self._stop_timer()
        super().on_headers_complete()

    def shutdown(self) -> None:
        """Closes an idle connection; uvicorn calls this when the server stops."""
        super().shutdown()
        # Over TLS, closing waits up to 30 s for the answer of a client that is not reading.
        if self.transport.is_closing():
            self.loop.call_later(_TLS_CLOSE_SECONDS, self.transport.abort)

    def _start_timer(self) -> None:
        if self._header_timer is None:
            close = self.transport.close
            self._header_timer = self.loop.call_later(_HEADER_SECONDS, close)

    def _stop_timer(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None
