"""TLS handshakes that do not come."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import pytest
import uvloop
from certificates import write_certificate

from serving.http import event_loop
from serving.http.event_loop import EventLoop


def test_a_client_that_never_shakes_hands_is_disconnected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_loop, "HANDSHAKE_SECONDS", 0.2)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*write_certificate(tmp_path))

    async def main() -> bytes:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(asyncio.Protocol, "127.0.0.1", 0, ssl=context)
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            received = await asyncio.wait_for(reader.read(), 20)
            writer.close()
        return received

    assert uvloop.run(main(), loop_factory=EventLoop) == b""
