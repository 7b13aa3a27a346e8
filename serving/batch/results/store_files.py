"""The files of an output in an object store.

Predictions wait in a file without a name on this machine until they are whole. So a kill leaves
nothing on the disk, and on the store at most the pieces of one large upload, which no reader sees.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO

from pipeline.core.stores.lease import refuse_lost
from pipeline.core.stores.remote import Remote
from pipeline.core.stores.waiting import map_requests


class StoreFiles:
    """Implements `OutputFiles`, with the words of its methods."""

    map = staticmethod(map_requests)

    def __init__(self, output: str) -> None:
        self._remote = Remote(output)

    def locate(self, name: str) -> str:
        return f"{self._remote.address}/{name}"

    def read(self, name: str) -> bytes | None:
        found = self._remote.read(name)
        return found[0] if found else None

    def measure(self, name: str) -> int | None:
        return self._remote.measure(name)

    def list(self, folder: str) -> list[str]:
        return [found.key for found in self._remote.list(folder)]

    def write(self, name: str, content: bytes, *, durable: bool) -> None:
        refuse_lost(self._remote.address)
        self._remote.put(name, content)

    @contextmanager
    def stage(self, name: str) -> Iterator[IO[bytes]]:
        with tempfile.TemporaryFile() as file:
            yield file
            refuse_lost(self._remote.address)
            file.seek(0)
            self._remote.upload(file, name)

    def remove(self, name: str) -> None:
        refuse_lost(self._remote.address)
        self._remote.remove([name])

    def sync(self, names: Iterable[str]) -> None:
        """A store keeps what it has accepted."""

    def sweep_staged(self, is_own: Callable[[str], bool]) -> None:
        """A store shows no unfinished object."""
