"""The numbers that pushes have taken on a store, before and without a served version."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from components.served_model.changes import now
from pipeline.core.errors import ConfigError
from pipeline.core.stores.remote import LostRaceError, Remote

_PENDING = ".pending"


@dataclass(frozen=True)
class Mark:
    """The object of a push that took a number."""

    number: str
    token: str
    """Of the snapshot that the push wants to publish."""
    base: str
    """The token of the snapshot that the push started from: with another one, its put fails."""
    modified: datetime

    @property
    def key(self) -> str:
        return make_key(self.number)


def make_key(number: str) -> str:
    """Returns the key of a number's mark."""
    return f"{_PENDING}/{number}"


def reserve(remote: Remote, numbers: Collection[str], token: str, base: str) -> None:
    """Takes numbers, which nobody else takes while their marks exist.

    Raises:
      ConfigError: another push has taken a number.
    """
    content = {"token": token, "base": base, "at": now(), "by": _name_process()}
    for number in sorted(numbers):
        try:
            remote.put_if(make_key(number), json.dumps(content).encode(), {})
        except LostRaceError:
            # Ours, if the client repeated the put after a lost answer.
            if _read_content(remote, number).get("token") != token:
                raise ConfigError(
                    f"{remote.address}: another run or `promote` takes number {number} now",
                    "repeat the command: it looks at what is served then",
                ) from None


def list_pending(remote: Remote) -> list[str]:
    """Returns the taken numbers."""
    names = (found.key.rpartition("/")[2] for found in remote.list(_PENDING))
    return [name for name in names if name.isdigit()]


def read_marks(remote: Remote) -> list[Mark]:
    """Returns the marks of all pushes."""
    found = [(one.key.rpartition("/")[2], one.modified) for one in remote.list(_PENDING)]
    marks = []
    for number, modified in found:
        content = _read_content(remote, number)
        marks.append(Mark(number, content.get("token", ""), content.get("base", ""), modified))
    return marks


def _read_content(remote: Remote, number: str) -> dict[str, str]:
    found = remote.read(make_key(number))
    try:
        return dict(json.loads(found[0])) if found else {}
    except ValueError:
        return {}


def _name_process() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"
