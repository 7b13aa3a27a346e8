"""uvicorn's HTTP protocol with limits that uvicorn itself does not have.

Without limits on headers and times, a client can hold a connection forever, or send headers until
the memory is full. uvicorn's limit of connections would refuse health checks, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal, NoReturn

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from serving.http.connections import SURPLUS, Places

_HEADER_SECONDS = 20.0
"""How long the headers of a request may take, from the connection or from their first byte."""
_CLOSE_SECONDS = 1.0
"""How long a client whose time is over has to read the rest of an answer, or to end TLS."""
_ANSWER_SECONDS = 1.0
"""How much later than the handler the protocol gives up a body: the client gets a status first."""
_HEADER_BYTES = 65_536
"""The most bytes of the URL and the headers of a request, as in other servers."""
_TOO_LARGE = "The headers are too large."
_MOST_WAITING = 16
"""Requests of one connection that may wait for their turn. uvicorn keeps all requests of a read:
768 KB may hold 23,000 requests, and take 59 MB. Few clients send a request before the answer to
the last one."""

Phase = Literal["headers", "body", "write", "close"]
"""What a timer limits: the client's headers, its body, its reading of answers, and the close."""


class LimitedProtocol(HttpToolsProtocol):
    """Closes connections whose headers are too slow or too large.

    It also closes connections that take longer than `transfer_seconds` to send a body or to read an
    answer. A handler that reads the body has the chance to answer before. An open connection always
    has a timer, unless the server owes an answer.
    """

    transfer_seconds = 60.0
    """A subclass has another limit; see `make_protocol`."""
    places: Places
    """Of all connections of the process."""
    _has_place = True
    _timers: dict[Phase, asyncio.TimerHandle]
    _has_progress = False
    """Whether the last read began or completed headers, held some of a body, or ended a request."""
    _read_bytes = 0
    """The size of the last read."""
    _bytes_without_progress = 0
    _refusal = ""
    """Why a request is refused that is valid HTTP."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._timers = {}
        self._has_place = self.places.take(transport)
        self._start("headers", _HEADER_SECONDS, self._close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop(*self._timers)
        self.places.leave(self.transport)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._has_progress, self._read_bytes = False, len(data)
        super().data_received(data)
        # Counted here and not in `on_header`: the parser calls that at the end of a header.
        # Trailers count, too. A read with progress does not: its bytes may be those of a body.
        self._bytes_without_progress += len(data)
        if self._has_progress:
            self._bytes_without_progress = 0
        if self.transport.is_closing():
            return
        if self._bytes_without_progress > _HEADER_BYTES:
            self.send_400_response(_TOO_LARGE)
        elif self._is_idle():
            # uvicorn has stopped its timer at the first byte, which may begin no request.
            self._unset_keepalive_if_required()
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def on_message_begin(self) -> None:
        self._has_progress = True
        if "headers" not in self._timers:
            self._start("headers", _HEADER_SECONDS, self._close)
        super().on_message_begin()
        if not self._has_place:
            self.scope["extensions"] = {SURPLUS: {}}

    def on_headers_complete(self) -> None:
        self._has_progress = True
        if len(self.pipeline) >= _MOST_WAITING:
            self._refuse(f"More than {_MOST_WAITING} requests wait on this connection.")
        # Few headers fill a read: only theirs are counted one by one.
        if self._read_bytes > _HEADER_BYTES and self._count_header_bytes() > _HEADER_BYTES:
            self._refuse(_TOO_LARGE)
        self._stop("headers")
        self._start("body", self.transfer_seconds + _ANSWER_SECONDS, self._close)
        super().on_headers_complete()
        if not self._has_place:
            # After the answer, the connection gives way to others.
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        self._has_progress = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._has_progress = True
        self._stop("body")
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing() and "close" not in self._timers:
            # The client may read so slowly that the close waits, yet the writes have not paused.
            self._start("close", self.transfer_seconds, self.transport.abort)

    def send_400_response(self, msg: str) -> None:
        super().send_400_response(self._refusal or msg)
        self._close()

    def pause_writing(self) -> None:
        super().pause_writing()
        # Not `close`, which waits until the client has read everything.
        self._start("write", self.transfer_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        self._stop("write")
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Closes a connection without a request; uvicorn calls this."""
        self._close()

    def shutdown(self) -> None:
        """Closes an idle connection; uvicorn calls this when the server stops."""
        super().shutdown()
        if self.transport.is_closing():
            self._close()

    def _refuse(self, words: str) -> NoReturn:
        """Refuses a request within a call of the parser."""
        self._refusal = words
        # Stops the parser, which would go on to the end of the read; uvicorn sends a 400.
        raise ValueError(words)

    def _count_header_bytes(self) -> int:
        return len(self.url) + sum(len(name) + len(value) for name, value in self.headers)

    def _is_idle(self) -> bool:
        """Returns whether the connection is open without any request, or part of one."""
        is_answered = self.cycle is None or self.cycle.response_complete
        return is_answered and not {"headers", "body"} & self._timers.keys()

    def _close(self) -> None:
        self.transport.close()
        # It waits until the client has read everything, and for the client's end of TLS.
        self._start("close", _CLOSE_SECONDS, self.transport.abort)

    def _start(self, phase: Phase, seconds: float, end: Callable[[], None]) -> None:
        self._stop(phase)
        self._timers[phase] = self.loop.call_later(seconds, end)

    def _stop(self, *phases: Phase) -> None:
        for phase in phases:
            if timer := self._timers.pop(phase, None):
                timer.cancel()


def make_protocol(seconds: float, most_connections: int) -> type[LimitedProtocol]:
    """Returns the protocol of a server.

    Args:
      seconds: the time for sending a body, and for reading an answer.
      most_connections: more connections are closed after one answer, which is a refusal unless the
        request is a health check.
    """
    own = {"transfer_seconds": seconds, "places": Places(most_connections)}
    return type("Protocol", (LimitedProtocol,), own)
