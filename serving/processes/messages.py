"""What the supervisor and its workers tell each other: JSON lines over a pair of sockets.

The socket also tells each side when the other has ended, whatever ended it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Version:
    """A version that can be loaded."""

    version: str
    directory: str
    """The directory of the SavedModel."""
    statistics: str
    """The directory of the statistics of its data; may not exist."""
    positive_class: str = ""
    """The class of two whose probability the model returns; empty if unknown."""


@dataclass(frozen=True)
class Load:
    """To a worker: load the version beside the current one, and answer Loaded or Failed."""

    version: str
    directory: str
    statistics: str
    positive_class: str = ""


@dataclass(frozen=True)
class Switch:
    """To a worker: the loaded version takes over."""


@dataclass(frozen=True)
class Discard:
    """To a worker: the version that should be served is not served; `problem` says why.

    The worker closes `version` if it has loaded that version and does not serve it. Another version
    may be on its way meanwhile, which stays.
    """

    problem: str
    version: str = ""


@dataclass(frozen=True)
class Drain:
    """To a worker: answer what has begun, then end."""


@dataclass(frozen=True)
class Loaded:
    """From a worker: the version is loaded and was called once."""

    version: str


@dataclass(frozen=True)
class Failed:
    """From a worker: the version cannot be loaded."""

    version: str
    error: str


@dataclass(frozen=True)
class Listening:
    """From a worker: it accepts connections."""


_TYPES = {t.__name__: t for t in (Load, Switch, Discard, Drain, Loaded, Failed, Listening)}
_LONGEST_LINE = 1 << 20


class Channel:
    """One end of the pair of sockets."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, sock: Any) -> Channel:
        """Returns the channel on a connected socket."""
        return cls(*await asyncio.open_connection(sock=sock, limit=_LONGEST_LINE))

    def send(self, message: Any) -> None:
        """Sends a message; one to an ended process is lost."""
        content = {"type": type(message).__name__, **dataclasses.asdict(message)}
        if not self._writer.is_closing():
            self._writer.write(json.dumps(content).encode() + b"\n")

    async def messages(self) -> AsyncIterator[Any]:
        """Yields messages until the other side ends."""
        try:
            async for line in self._reader:
                content = json.loads(line)
                yield _TYPES[content.pop("type")](**content)
        except ConnectionError:
            pass

    def close(self) -> None:
        self._writer.close()
