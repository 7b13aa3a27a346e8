"""Remote: the objects below the address of a directory that this project writes.

The store's client repeats a request that failed with a status such as 503, with growing pauses. So
a conditional put may have been accepted although its last answer is a refusal: the callers ask the
store what it holds before they believe a refusal.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import obstore
from obstore import exceptions

from pipeline.core.stores.address import StoreAddress, parse_address
from pipeline.core.stores.client import open_store
from pipeline.core.stores.errors import explaining_store_errors

_MOST_LISTED = 1_000
"""What stores answer to one request; a bucket may hold millions of objects."""
_MOST_AT_ONCE = 32 << 20
"""The bytes of a file that is uploaded in one request: half a megabyte a second is fast enough for
the minute that the client gives a request."""
_RANGE_BYTES = 8 << 20
"""The bytes of one request: the client gives a request a minute, however slow the network is."""


class LostRaceError(Exception):
    """The condition of a put does not hold: somebody else wrote the object meanwhile."""


@dataclass(frozen=True)
class Found:
    """One object in a listing."""

    key: str
    modified: datetime


class Remote:
    """The objects below an address such as s3://bucket/models/taxi; keys are relative to it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._root = parse_address(address)
        self._store = open_store(self._root)

    def read(self, key: str) -> tuple[bytes, dict[str, str]] | None:
        """Returns an object and the condition of its replacement; None if there is no object."""
        place = self._place(key)
        with explaining_store_errors(place), _missing_allowed():
            answer = obstore.get(self._store, place.key)
            return bytes(answer.bytes()), _condition(answer.meta)
        return None

    def read_condition(self, key: str) -> dict[str, str]:
        """Returns the condition of an object's replacement; empty if there is no object."""
        place = self._place(key)
        with explaining_store_errors(place), _missing_allowed():
            return _condition(obstore.head(self._store, place.key))
        return {}

    def read_time(self, key: str) -> datetime | None:
        """Returns the time at which an object was put; None if there is no object."""
        place = self._place(key)
        with explaining_store_errors(place), _missing_allowed():
            put: datetime = obstore.head(self._store, place.key)["last_modified"]
            return put
        return None

    def put(self, key: str, content: bytes) -> None:
        """Replaces an object."""
        place = self._place(key)
        with explaining_store_errors(place):
            obstore.put(self._store, place.key, content)

    def put_if(self, key: str, content: bytes, condition: Mapping[str, str]) -> dict[str, str]:
        """Replaces an object if it is the one of `condition`, or makes it if that is empty.

        Returns:
          The condition of the next replacement.

        Raises:
          LostRaceError: the object is another one, or exists already, or the put was repeated after
            a lost answer.
        """
        place, mode = self._place(key), dict(condition) or "create"
        refusals = (
            exceptions.AlreadyExistsError,
            exceptions.PreconditionError,
            # The object of the condition was removed.
            exceptions.NotFoundError,
            FileNotFoundError,
        )
        with explaining_store_errors(place):
            try:
                answer = obstore.put(self._store, place.key, content, mode=mode)  # type: ignore[arg-type]
            except refusals as error:
                raise LostRaceError(key) from error
            return _condition(answer)

    def upload(self, source: Path | IO[bytes], key: str) -> None:
        """Uploads a file, a large one in pieces. The object is visible when it is whole.

        After a failure or a kill, a store keeps the pieces of a large file, invisible, until a rule
        of the bucket removes them. So a small file goes in one request.
        """
        place = self._place(key)
        size = os.stat(source if isinstance(source, Path) else source.fileno()).st_size
        with explaining_store_errors(place):
            obstore.put(self._store, place.key, source, use_multipart=size > _MOST_AT_ONCE)

    def measure(self, key: str) -> int | None:
        """Returns the bytes of an object; None if there is no object."""
        place = self._place(key)
        with explaining_store_errors(place), _missing_allowed():
            return int(obstore.head(self._store, place.key)["size"])
        return None

    def read_blocks(self, key: str, size: int) -> Iterator[bytes]:
        """Yields an object of `size` bytes, a bounded piece at a time."""
        place = self._place(key)
        for start in range(0, size, _RANGE_BYTES):
            end = min(start + _RANGE_BYTES, size)
            with explaining_store_errors(place):
                block = obstore.get_range(self._store, place.key, start=start, end=end)
            yield bytes(block)

    def list_directories(self, parent: str) -> list[str]:
        """Returns the names of the directories in a directory."""
        place = self._place(parent)
        with explaining_store_errors(place):
            found = obstore.list_with_delimiter(self._store, place.key)
            return [path.rstrip("/").rpartition("/")[2] for path in found["common_prefixes"]]

    def list_first(self) -> list[str]:
        """Returns the keys of the first objects below the address, at most a thousand."""
        with explaining_store_errors(self._root):
            chunks = obstore.list(self._store, self._root.key, chunk_size=_MOST_LISTED)
            return [self._relative(one["path"]) for one in next(iter(chunks), ())]

    def list(self, parent: str) -> Iterator[Found]:
        """Yields the objects below a directory."""
        place = self._place(parent)
        with explaining_store_errors(place):
            for chunk in obstore.list(self._store, place.key):
                for one in chunk:
                    yield Found(self._relative(one["path"]), one["last_modified"])

    def remove(self, keys: Sequence[str]) -> None:
        """Removes objects; those that are gone already are no mistake."""
        for key in keys:
            place = self._place(key)
            with explaining_store_errors(place), _missing_allowed():
                obstore.delete(self._store, place.key)

    def _place(self, key: str) -> StoreAddress:
        return self._root.child(key) if key else self._root

    def _relative(self, key: str) -> str:
        return key[len(self._root.key) :].lstrip("/")


def _missing_allowed() -> contextlib.AbstractContextManager[Any]:
    return contextlib.suppress(exceptions.NotFoundError, FileNotFoundError)


def _condition(meta: Any) -> dict[str, str]:
    """Returns what a conditional put compares; the client takes no key without a value."""
    return {key: meta[key] for key in ("e_tag", "version") if meta.get(key)}
