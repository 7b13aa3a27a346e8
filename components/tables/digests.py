"""Digests of the bytes of files, each file hashed once by a process as long as it is unchanged.

A run asks for the same digests three times: before the DAG, for the key of ExampleGen's cache, and
after ExampleGen has read the files. A terabyte takes twenty minutes each time.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pipeline.core.errors import ConfigError
from pipeline.core.processes import available_cores

# Read at once by each thread, which bounds the memory.
_CHUNK_BYTES = 1 << 20
# Hashed by one thread at a time, so that all cores share a large file. The fingerprint depends on
# this number: if it changes, no cached examples are found.
_PIECE_BYTES = 16 << 20
# File systems round the times of changes, FAT to two seconds. Within this time after a change, a
# second change may leave the state of the file as it is.
_SETTLED_AFTER_NS = 3_000_000_000


@dataclass(frozen=True)
class FileDigest:
    """The content of a file."""

    size: int
    pieces: tuple[str, ...]
    """The digest of each 16 MB, in hexadecimal digits: 8 KB for each gigabyte."""


@dataclass(frozen=True)
class _State:
    """What the file system tells about a file. Each write changes the time `changed`.

    Users can set the time of the last modification back, but not the time of the last change.
    """

    device: int
    inode: int
    size: int
    modified: int
    changed: int


_remembered: dict[str, tuple[_State, FileDigest]] = {}


def digest_files(paths: Sequence[Path]) -> list[FileDigest]:
    """Returns the digests of files. All cores take part, even if there is only one file.

    A file that this process has hashed before is not read again if nothing has written to it since.

    Raises:
      ConfigError: a file cannot be read.
    """
    now = time.time_ns()
    states = [_read_state(path) for path in paths]
    found = [_recall(path, state) for path, state in zip(paths, states, strict=True)]
    pieces = [
        (path, begin)
        for path, state, known in zip(paths, states, found, strict=True)
        if known is None
        for begin in range(0, state.size, _PIECE_BYTES)
    ]
    with ThreadPoolExecutor(available_cores()) as pool:
        digests = pool.map(_digest_piece, *zip(*pieces, strict=True)) if pieces else iter(())
        return [
            known or _take_digest(path, state, digests, now)
            for path, state, known in zip(paths, states, found, strict=True)
        ]


def remembers(paths: Sequence[Path]) -> bool:
    """Whether `digest_files` would read none of the files.

    Raises:
      ConfigError: a file cannot be read.
    """
    return all(_recall(path, _read_state(path)) is not None for path in paths)


def _recall(path: Path, state: _State) -> FileDigest | None:
    before, digest = _remembered.get(os.path.abspath(path), (None, None))
    return digest if before == state else None


def _take_digest(path: Path, state: _State, digests: Iterator[bytes], now: int) -> FileDigest:
    count = -(-state.size // _PIECE_BYTES)
    digest = FileDigest(state.size, tuple(next(digests).hex() for _ in range(count)))
    is_settled = max(state.changed, state.modified) < now - _SETTLED_AFTER_NS
    if is_settled and _read_state(path) == state:
        _remembered[os.path.abspath(path)] = state, digest
    return digest


def _read_state(path: Path) -> _State:
    with _translate_os_errors(path):
        found = path.stat()
    return _State(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _digest_piece(path: Path, begin: int) -> bytes:
    """Returns the digest of the piece of the file that starts at byte `begin`."""
    digest = hashlib.blake2b()
    chunk = memoryview(bytearray(_CHUNK_BYTES))
    with _translate_os_errors(path), path.open("rb", buffering=0) as file:
        file.seek(begin)
        left = _PIECE_BYTES
        while size := file.readinto(chunk[:left]):
            digest.update(chunk[:size])
            left -= size
    return digest.digest()


@contextmanager
def _translate_os_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ConfigError(f"data.path: {path} cannot be read: {error.strerror}") from None
