"""Reads the messages of calls, few at a time.

gRPC tells the size of a message only when the message is in memory, and a server that reads all
calls at once holds all their messages, three times each. A call that waits for its turn costs
little: flow control stops its client after 64 KiB.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from http import HTTPStatus

from serving.errors import RequestError
from serving.waiting import time_limit

MOST_AT_ONCE = 8
"""60 calls of 15 MB take 0.3 GB with 8 at once, 0.1 GB with 4, 1.1 GB with 16, and 1.5 GB without a
limit."""
_PATIENT = MOST_AT_ONCE // 2
"""The messages at once that may take long, while no call waits. Any other message has to arrive
within `_SHORT_SECONDS` of its turn, so that clients which send nothing cannot take all places. A
call behind 130 of them waits 16 s."""
_SHORT_SECONDS = 1.0

Shorten = Callable[[float], None]
"""Shortens the time that is left to so many seconds."""


class Arrivals:
    """The calls whose message has not arrived yet."""

    def __init__(self, seconds: float) -> None:
        """`seconds`: how long a message and the wait for its turn may take together."""
        self._seconds = seconds
        self._turns = asyncio.Semaphore(MOST_AT_ONCE)
        self._waiting = 0
        """The calls that wait for their turn."""
        self._limits: set[Shorten] = set()
        self._reading: set[Shorten] = set()
        """The limits of the calls whose message is being read."""
        self._is_closed = False

    async def read(self, messages: AsyncIterator[bytes]) -> bytes:
        """Returns the first message of a call; an empty one if the client sends none.

        Raises:
          RequestError: the message has not arrived in time.
        """
        started = time.monotonic()
        try:
            with time_limit(self._seconds) as shorten:
                self._limits.add(shorten)
                try:
                    return await self._read_in_turn(messages, shorten)
                finally:
                    self._limits.discard(shorten)
        except asyncio.TimeoutError:
            seconds = time.monotonic() - started
            raise RequestError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"the message of the call has not arrived after {seconds:.1f} s",
            ) from None

    async def _read_in_turn(self, messages: AsyncIterator[bytes], shorten: Shorten) -> bytes:
        if self._turns.locked():
            _hurry(self._reading)
        self._waiting += 1
        try:
            await self._turns.acquire()
        finally:
            self._waiting -= 1
        self._reading.add(shorten)
        try:
            if self._is_closed or self._waiting or len(self._reading) > _PATIENT:
                shorten(_SHORT_SECONDS)
            return await anext(messages, b"")
        finally:
            self._reading.discard(shorten)
            self._turns.release()

    def close(self) -> None:
        """Gives messages that are on their way `_SHORT_SECONDS`: no other call has begun."""
        self._is_closed = True
        _hurry(self._limits)


def _hurry(limits: Iterable[Shorten]) -> None:
    for shorten in limits:
        shorten(_SHORT_SECONDS)
