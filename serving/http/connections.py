"""Places for connections: a client that opens more and more of them must not end the health checks.

Without a limit, such a client takes all files that the process may open, and nobody else can
connect.
"""

from __future__ import annotations

import resource
from typing import Protocol

SURPLUS = "surplus connection"
"""The ASGI extension in the scope of a request on a connection without a place."""

HANDSHAKE_SECONDS = 20.0
"""How long a TLS handshake may take, and the first frame of a gRPC connection: as long as the
headers of a request. Connections over TLS take a place only after the handshake."""

_MOST_SURPLUS = 64
"""Connections without a place that stay open. Each new one closes the oldest, so that a health
check is answered unless as many clients connect within its milliseconds."""
_SHARE = 3
"""HTTP and gRPC may take a third each of the files that the process may open. The rest is for the
model and for logs."""


class Closable(Protocol):
    """A connection."""

    def abort(self) -> None:
        """Closes the connection at once."""


class Places:
    """The connections of one process."""

    def __init__(self, most: int) -> None:
        """Makes places for `most` connections; more get status 503."""
        self._most = most
        self._placed: set[Closable] = set()
        self._surplus: dict[Closable, None] = {}

    def take(self, connection: Closable) -> bool:
        """Adds a connection, and returns whether it has a place."""
        if len(self._placed) < self._most:
            self._placed.add(connection)
            return True
        self._surplus[connection] = None
        if len(self._surplus) > _MOST_SURPLUS:
            oldest = next(iter(self._surplus))
            del self._surplus[oldest]
            oldest.abort()
        return False

    def leave(self, connection: Closable) -> None:
        """Removes a connection that has ended."""
        self._placed.discard(connection)
        self._surplus.pop(connection, None)


def limit_connections(wanted: int) -> int:
    """Returns how many connections one API of this process may have, at most `wanted`."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if files == resource.RLIM_INFINITY else min(wanted, max(1, files // _SHARE))
