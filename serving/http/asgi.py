"""The types of ASGI (https://asgi.readthedocs.io), and the response of a handler.

The application is plain ASGI: a framework between uvicorn and the handlers costs throughput, which
docs/serving.md quantifies, and the few paths need no router.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

JSON_TYPE = b"application/json"


@dataclass(frozen=True)
class Response:
    """The answer to a request."""

    body: bytes
    content_type: bytes = JSON_TYPE
    status: int = HTTPStatus.OK
    headers: tuple[tuple[bytes, bytes], ...] = ()
    note: str = ""
    """What the access log says of the answer."""

    async def send(self, send: Send) -> None:
        """Sends the response."""
        headers = [
            (b"content-type", self.content_type),
            (b"content-length", str(len(self.body)).encode()),
            *self.headers,
        ]
        await send({"type": "http.response.start", "status": int(self.status), "headers": headers})
        await send({"type": "http.response.body", "body": self.body})
