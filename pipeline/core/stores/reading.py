"""Reads an object as a file: only the bytes that are asked for, and always of one version.

A long latency is the price of a store: so a reader that goes on where it stopped gets ever larger
pieces, and the next pieces are fetched while it works. A reader that jumps, as one of Parquet does,
gets little more than it asked for.
"""

from __future__ import annotations

import functools
import io
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.core.stores.client import open_store
from pipeline.core.stores.errors import (
    StoreFailedError,
    changed_error,
    explaining_store_errors,
)
from pipeline.core.stores.listing import StoreObject
from pipeline.core.stores.waiting import await_request, start_request

if TYPE_CHECKING:
    from obstore import Bytes, GetOptions, ObjectMeta

_LEAST_BYTES = 1 << 18
"""Of a first piece: the header of a CSV file, or the footer of a Parquet file, in one request."""
_MOST_BYTES = 8 << 20
"""Of each piece: latency is a tenth of its time at 50 ms and 20 MB a second."""
_PIECES_AHEAD = 3
"""One connection does not fill the network of a machine in the cloud; memory bounds the number."""
_ATTEMPTS = 4
"""Of a piece whose bytes end early. The library itself tries refused requests again."""


@dataclass(frozen=True)
class _Piece:
    start: int
    content: Bytes

    @property
    def end(self) -> int:
        return self.start + len(self.content)


@dataclass(frozen=True)
class _Awaited:
    """A piece that is being fetched."""

    start: int
    end: int
    future: Future[_Piece]


class ObjectReader(io.RawIOBase):
    """The bytes of an object, which can be read from any position.

    All methods raise the errors of `explaining_store_errors`; DataError means that the object was
    changed after it had been found.
    """

    def __init__(self, found: StoreObject) -> None:
        super().__init__()
        self._object = found
        self._position = 0
        self._piece = _Piece(0, b"")  # type: ignore[arg-type]
        self._ahead: deque[_Awaited] = deque()
        self._piece_bytes = _LEAST_BYTES

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._object.size}
        position = base[whence] + offset
        if position < 0:
            raise ValueError(f"negative position {position}")
        self._position = position
        return position

    def readinto(self, buffer: Any) -> int:
        """Fills the buffer, unless the object ends before."""
        view = memoryview(buffer).cast("B")
        view = view[: max(self._object.size - self._position, 0)]
        filled = 0
        while filled < len(view):
            piece = self._piece_at(self._position, len(view) - filled)
            start = self._position - piece.start
            part = memoryview(piece.content)[start : start + len(view) - filled]
            view[filled : filled + len(part)] = part
            filled += len(part)
            self._position += len(part)
        return filled

    def close(self) -> None:
        self._ahead.clear()
        super().close()

    def _piece_at(self, position: int, wanted: int) -> _Piece:
        """Returns the piece that holds the byte at `position`; `wanted` bytes are needed."""
        if self._piece.start <= position < self._piece.end:
            return self._piece
        goes_on = position == self._piece.end and position > 0
        self._piece_bytes = min(2 * self._piece_bytes, _MOST_BYTES) if goes_on else _LEAST_BYTES
        fetched = self._find_fetched(position)
        if fetched is None:
            size = min(max(wanted, self._piece_bytes), _MOST_BYTES)
            end = self._end_of(position, size)
            fetched = await_request(functools.partial(self._fetch, position, end))
        self._piece = fetched
        if goes_on:
            self._fetch_ahead()
        return fetched

    def _find_fetched(self, position: int) -> _Piece | None:
        while self._ahead:
            piece = self._ahead.popleft()
            if piece.start <= position < piece.end:
                return piece.future.result()
        return None

    def _fetch_ahead(self) -> None:
        start = self._ahead[-1].end if self._ahead else self._piece.end
        while len(self._ahead) < _PIECES_AHEAD and start < self._object.size:
            end = self._end_of(start, self._piece_bytes)
            fetch = functools.partial(self._fetch, start, end)
            self._ahead.append(_Awaited(start, end, start_request(fetch)))
            start = end

    def _end_of(self, start: int, size: int) -> int:
        return min(start + size, self._object.size)

    def _fetch(self, start: int, end: int) -> _Piece:
        address = self._object.address
        for _ in range(_ATTEMPTS):
            with explaining_store_errors(address):
                answer = open_store(address).get(address.key, options=self._options(start, end))
                self._refuse_changed(answer.meta)
                content = answer.buffer()
            if len(content) == end - start:
                return _Piece(start, content)
        raise StoreFailedError(
            f"{address}: the store sends {len(content):,} of {end - start:,} bytes again and again",
            "try again later",
        )

    def _options(self, start: int, end: int) -> GetOptions:
        options: GetOptions = {"range": (start, end)}
        e_tag = self._object.e_tag
        # By the protocol, a weak tag matches nothing.
        if e_tag and not e_tag.startswith("W/"):
            options["if_match"] = e_tag
        return options

    def _refuse_changed(self, meta: ObjectMeta) -> None:
        # Some servers ignore the condition, some list no tags.
        known, now = self._object, StoreObject.of(self._object.address, meta)
        has_other_tag = known.e_tag and now.e_tag and known.e_tag != now.e_tag
        if has_other_tag or now.size != known.size:
            raise changed_error(known.address)
