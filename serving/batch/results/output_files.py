"""The files of a prediction's output, on a file system or in an object store.

Both show a file only when it is whole. A file system does by a rename. A store shows an object when
its last byte has arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import IO, Protocol, TypeVar

from pipeline.core.stores.address import is_store_address
from serving.batch.results.directory_files import DirectoryFiles

Sink = str | IO[bytes]
"""What a library writes to: the path of a file that does not exist yet, or an open file."""
_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")


class OutputFiles(Protocol):
    """The files; names are paths below the output."""

    def locate(self, name: str) -> str:
        """Returns the path or address of a file, for messages."""

    def read(self, name: str) -> bytes | None:
        """Returns the content of a file; None if there is no file."""

    def measure(self, name: str) -> int | None:
        """Returns the bytes of a file; None if there is no file."""

    def list(self, folder: str) -> list[str]:
        """Returns the names of all files below a folder."""

    def write(self, name: str, content: bytes, *, durable: bool) -> None:
        """Replaces a file; see `write_bytes_atomically`."""

    def stage(self, name: str) -> AbstractContextManager[Sink]:
        """Replaces a file by what the context writes; after an error, the old file stays."""

    def remove(self, name: str) -> None:
        """Removes a file; one that is gone already is no mistake."""

    def sync(self, names: Iterable[str]) -> None:
        """Waits until a power cut cannot take the files any more."""

    def sweep_staged(self, is_own: Callable[[str], bool]) -> None:
        """Removes unfinished files that a kill left, if `is_own` accepts their names."""

    def map(self, read: Callable[[_Item], _Answer], items: Iterable[_Item]) -> Iterator[_Answer]:
        """Yields what `read` returns for each item, in their order."""


def open_output(output: str) -> OutputFiles:
    """Returns the files of an output, which is an absolute path or an address."""
    if not is_store_address(output):
        return DirectoryFiles(output)
    # Imported here: other outputs need no client of a store.
    from serving.batch.results.store_files import StoreFiles

    return StoreFiles(output)
