"""How many messages are read at once, and how long for; no gRPC."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from serving.errors import RequestError
from serving.rpc import arrivals
from serving.rpc.arrivals import MOST_AT_ONCE, Arrivals


async def never() -> AsyncIterator[bytes]:
    """The messages of a client that sends none and stays."""
    await asyncio.sleep(3600)
    yield b""


async def at_once() -> AsyncIterator[bytes]:
    yield b"x"


def test_few_messages_are_read_at_once_and_all_are_read() -> None:
    async def main() -> int:
        reading, most = 0, 0

        async def slow() -> AsyncIterator[bytes]:
            nonlocal reading, most
            reading += 1
            most = max(most, reading)
            await asyncio.sleep(0.01)
            reading -= 1
            yield b"x"

        calls = Arrivals(30)
        assert set(await asyncio.gather(*(calls.read(slow()) for _ in range(50)))) == {b"x"}
        return most

    assert asyncio.run(main()) == MOST_AT_ONCE


def test_clients_that_send_nothing_keep_others_waiting_shortly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arrivals, "_SHORT_SECONDS", 0.05)

    async def main() -> None:
        calls = Arrivals(30)
        silent = [asyncio.create_task(calls.read(never())) for _ in range(MOST_AT_ONCE)]
        await asyncio.sleep(0.2)
        ended = [task for task in silent if task.done()]
        assert len(ended) == MOST_AT_ONCE - arrivals._PATIENT
        for task in ended:
            assert isinstance(task.exception(), RequestError)
        for task in silent:
            task.cancel()

    asyncio.run(main())


def test_no_silent_client_is_waited_for_long_while_another_call_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arrivals, "_SHORT_SECONDS", 0.05)

    async def main() -> None:
        calls = Arrivals(30)
        silent = [asyncio.create_task(calls.read(never())) for _ in range(5 * MOST_AT_ONCE)]
        await asyncio.sleep(0)
        assert await asyncio.wait_for(calls.read(at_once()), 20) == b"x"
        await asyncio.wait(silent, timeout=10)
        assert all(isinstance(task.exception(), RequestError) for task in silent)

    asyncio.run(main())


def test_a_closed_server_waits_shortly_for_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "_SHORT_SECONDS", 0.05)

    async def main() -> None:
        calls = Arrivals(30)
        silent = asyncio.create_task(calls.read(never()))
        await asyncio.sleep(0)
        calls.close()
        for call in (silent, calls.read(never())):
            with pytest.raises(RequestError, match="has not arrived") as refusal:
                await asyncio.wait_for(call, 5)
            assert refusal.value.status == 503
        assert await calls.read(at_once()) == b"x"

    asyncio.run(main())
