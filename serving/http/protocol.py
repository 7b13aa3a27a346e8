"""uvicorn's HTTP protocol with limits that uvicorn itself does not have.

Without limits on headers and times, a client can hold a connection forever, or send headers until
the memory is full. uvicorn's limit of connections would refuse health checks, too.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from serving.http.connections import SURPLUS, Places

_HEADER_SECONDS = 20.0
"""How long the headers of a request may take, from the connection or from their first byte."""
_TLS_CLOSE_SECONDS = 1.0
_ANSWER_SECONDS = 1.0
"""How much later than the handler the protocol gives up a body: the client gets a status first."""
_HEADER_BYTES = 65_536
"""The most bytes of the URL and the headers of a request, as in other servers."""


class LimitedProtocol(HttpToolsProtocol):
    """Closes connections whose headers are too slow or too large.

    It also closes connections that take longer than `transfer_seconds` to send a body or to read an
    answer. A handler that reads the body has the chance to answer before.
    """

    transfer_seconds = 60.0
    """A subclass has another limit; see `make_protocol`."""
    places: Places
    """Of all connections of the process."""
    _has_place = True
    _body_timer: asyncio.TimerHandle | None = None
    """Runs while a body is expected."""
    _write_timer: asyncio.TimerHandle | None = None
    """Runs while the client reads more slowly than the server writes."""
    _header_bytes = 0
    _header_timer: asyncio.TimerHandle | None = None
    """Runs while headers are expected."""
    _is_in_headers = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._has_place = self.places.take(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._stop_transfer_timers()
        self.places.leave(self.transport)
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
        if not self._has_place:
            self.scope["extensions"] = {SURPLUS: {}}

    def on_headers_complete(self) -> None:
        self._is_in_headers = False
        self._stop_timer()
        seconds = self.transfer_seconds + _ANSWER_SECONDS
        self._body_timer = self.loop.call_later(seconds, self.transport.close)
        super().on_headers_complete()
        if not self._has_place:
            # After the answer, the connection gives way to others.
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        if self._body_timer is not None:
            self._body_timer.cancel()
            self._body_timer = None
        super().on_message_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        # Not `close`, which waits until the client has read everything.
        self._write_timer = self.loop.call_later(self.transfer_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None
        super().resume_writing()

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

    def _stop_transfer_timers(self) -> None:
        for timer in (self._body_timer, self._write_timer):
            if timer is not None:
                timer.cancel()

    def _stop_timer(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None


def make_protocol(seconds: float, most_connections: int) -> type[LimitedProtocol]:
    """Returns the protocol of a server.

    Args:
      seconds: the time for sending a body, and for reading an answer.
      most_connections: more connections are closed after one answer, which is a refusal unless the
        request is a health check.
    """
    own = {"transfer_seconds": seconds, "places": Places(most_connections)}
    return type("Protocol", (LimitedProtocol,), own)
