"""BearerTokens: the tokens that requests may carry, from a file that may change at any time.

With two lines, an old and a new token are right while the clients change over.
"""

from __future__ import annotations

import hmac
import logging
import os
import time
from pathlib import Path

from pipeline.core.errors import ConfigError

_SHORTEST_TOKEN = 16
"""Characters: a shorter token could be guessed."""
_LOOK_SECONDS = 1.0
"""How often the file is looked at, at most. Kubernetes takes a minute to bring a changed Secret."""


class BearerTokens:
    """The tokens in a file, one per line."""

    def __init__(self, path: str) -> None:
        """Reads the file.

        Raises:
          ConfigError: the file cannot be read, or a line is no token.
        """
        self._path = path
        self._stamp = _stamp(path)
        self._tokens = _read(path)
        self._next_look = time.monotonic() + _LOOK_SECONDS

    def accept(self, header: bytes) -> bool:
        """Whether the value of an Authorization header holds one of the tokens."""
        if time.monotonic() >= self._next_look:
            self._look()
        return any(hmac.compare_digest(header, b"Bearer " + token) for token in self._tokens)

    def _look(self) -> None:
        """Takes over a changed file; the tokens stay as they are if the file is wrong."""
        self._next_look = time.monotonic() + _LOOK_SECONDS
        stamp = _stamp(self._path)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._tokens = _read(self._path)
        except ConfigError as error:
            logging.warning("The tokens stay as they are: %s", error)


def _stamp(path: str) -> tuple[int, ...]:
    """Returns what differs between two states of the file; a Secret's file is a link."""
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_ino, status.st_size


def _read(path: str) -> list[bytes]:
    try:
        tokens = Path(path).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(
            f"serving.server.token_file: {path} cannot be used: {reason}",
            "correct the file or the key; the server must be able to read it",
        ) from None
    tokens = [token.strip() for token in tokens if token.strip()]
    if not tokens or not all(map(_is_token, tokens)):
        raise ConfigError(
            f"serving.server.token_file: {path} has no tokens, or a line that is no token of at "
            f"least {_SHORTEST_TOKEN} ASCII characters without spaces",
            f"make one: openssl rand -hex 32 > {path}",
        )
    return [token.encode() for token in tokens]


def _is_token(token: str) -> bool:
    return len(token) >= _SHORTEST_TOKEN and token.isascii() and len(token.split()) == 1
