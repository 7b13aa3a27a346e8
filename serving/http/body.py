"""Reads the bodies of requests within limits: of one body, and of all bodies together."""

from __future__ import annotations

from http import HTTPStatus

from serving.errors import RequestError, bad_request
from serving.http.asgi import Message, Receive, Scope

_BODIES_IN_MEMORY = 16
"""How many of the largest bodies may be in memory at once: more clients get status 429."""


class ClientGoneError(Exception):
    """The client closed the connection before its request was complete."""


class BodyReader:
    """Reads bodies, and knows how many bytes of unanswered requests are in memory."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self.held_bytes = 0

    async def read(self, scope: Scope, receive: Receive) -> bytes:
        """Returns the body; the caller has to `release` it after the response.

        Raises:
          RequestError: the body is too large, or the server holds too many bodies.
          ClientGoneError: the client has gone.
        """
        self._refuse_large(_content_length(scope))
        message = await receive()
        body = _take(message)
        if message.get("more_body", False):
            body = await self._read_rest(body, receive)
        self.hold(body)
        return body

    def hold(self, body: bytes) -> None:
        """Counts a body as in memory; the caller has to `release` it after the response.

        Raises:
          RequestError: the body is too large, or the server holds too many bodies.
        """
        self._refuse_large(len(body))
        self.held_bytes += len(body)

    def release(self, body: bytes) -> None:
        """Counts the body as no longer in memory."""
        self.held_bytes -= len(body)

    async def _read_rest(self, start: bytes, receive: Receive) -> bytes:
        parts, size = [start], len(start)
        # Counted while they arrive: slow clients hold memory, too.
        self.held_bytes += size
        try:
            more = True
            while more:
                message = await receive()
                more = message.get("more_body", False)
                parts.append(_take(message))
                size += len(parts[-1])
                self.held_bytes += len(parts[-1])
                self._refuse_large(size)
        finally:
            self.held_bytes -= size
        return b"".join(parts)

    def _refuse_large(self, size: int) -> None:
        if size > self._most_bytes:
            raise RequestError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"the body has more than {self._most_bytes:,} bytes "
                "(serving.server.max_body_megabytes); send fewer rows",
            )
        if self.held_bytes + size > _BODIES_IN_MEMORY * self._most_bytes:
            raise RequestError(
                HTTPStatus.TOO_MANY_REQUESTS,
                "the server is full: the bodies of other requests fill its memory; "
                "repeat the request later",
            )


def _content_length(scope: Scope) -> int:
    """Returns the announced size, 0 if none is announced."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            if not value.isdigit():
                raise bad_request("Content-Length is not a number")
            return int(value[:20])
    return 0


def _take(message: Message) -> bytes:
    if message["type"] == "http.disconnect":
        raise ClientGoneError
    body: bytes = message.get("body", b"")
    return body
