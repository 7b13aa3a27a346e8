"""uvloop's event loop with a time limit for TLS handshakes, which uvicorn cannot set."""

from __future__ import annotations

import asyncio
from typing import Any

import uvloop

from serving.http.connections import HANDSHAKE_SECONDS


class EventLoop(uvloop.Loop):
    """Closes connections whose TLS handshake takes longer than `HANDSHAKE_SECONDS`.

    uvloop's own limit is 60 s. Until the handshake is done, no protocol knows of the connection.
    """

    async def create_server(  # type: ignore[override]
        self, *arguments: Any, **options: Any
    ) -> asyncio.AbstractServer:
        """Returns a server, as the method of asyncio's event loops."""
        if options.get("ssl") is not None:
            options["ssl_handshake_timeout"] = HANDSHAKE_SECONDS
        return await super().create_server(*arguments, **options)
