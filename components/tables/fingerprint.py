"""Resolves `data.path` to files, and computes a fingerprint of their content.

TFX's own fingerprint consists of sizes and modification times in seconds. So it changes when a file
is only touched, and may stay the same after a correction of equal length. This fingerprint reads
the bytes.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from components.tables.sources.object_fingerprint import fingerprint_objects
from components.tables.sources.table_path import TablePath
from pipeline.config import DataConfig
from pipeline.core.errors import ConfigError
from pipeline.core.processes import available_cores
from pipeline.core.stores.address import is_store_address
from pipeline.core.stores.listing import StoreObject, find_objects

_SPAN = re.compile(r"\{SPAN(?::([1-9][0-9]?))?\}")
_WILDCARD = re.compile(r"(\*\*|\*|\?|\[[^]]+\])")
# Read at once by each thread, which bounds the memory.
_CHUNK_BYTES = 1 << 20
# Hashed by one thread at a time, so that all cores share a large file. The fingerprint depends on
# this number: if it changes, no cached examples are found.
_PIECE_BYTES = 16 << 20


def resolve_paths(data: DataConfig, span: int | None = None) -> tuple[list[TablePath], int]:
    """Returns the files that match `data.path`, sorted and without repetition, and their span.

    Objects of stores follow the files of this machine.

    `{SPAN}` matches digits, `{SPAN:4}` exactly four digits. Without `{SPAN}` the span is 0, as
    everywhere in TFX.

    Args:
      span: the span to read; the newest span of all patterns if None.

    Raises:
      ConfigError: a pattern matches no file.
    """
    spans = {p: _files_by_span(p) for p in data.path if _SPAN.search(p)}
    if span is None:
        span = max((number for found in spans.values() for number in found), default=0)
    files: set[TablePath] = set()
    for pattern in data.path:
        matches = spans[pattern].get(span, []) if pattern in spans else _match_files(pattern)
        if not matches:
            raise _no_match_error(pattern, span if spans.get(pattern) else None)
        files.update(matches)
    local = sorted(path for path in files if isinstance(path, Path))
    return [*local, *sorted(path for path in files if isinstance(path, StoreObject))], span


def compute_fingerprint(paths: Sequence[TablePath]) -> str:
    """Returns a digest of the files' content, and of their names below their common folder.

    Objects of stores are identified as `fingerprint_objects` does, other files by their bytes.

    Raises:
      ConfigError: a file cannot be read.
    """
    objects = [path for path in paths if isinstance(path, StoreObject)]
    local = [path for path in paths if isinstance(path, Path)]
    if not objects:
        return _fingerprint_files(local)
    of_objects = fingerprint_objects(objects)
    if not local:
        return of_objects
    both = (_fingerprint_files(local) + of_objects).encode()
    return hashlib.blake2b(both, digest_size=16).hexdigest()


def _fingerprint_files(paths: Sequence[Path]) -> str:
    """Returns a digest of the files' bytes, and of their names.

    The digest is BLAKE2b, the fastest of hashlib on machines without SHA instructions (above
    800 MB/s). All cores take part, even if there is only one file.

    Raises:
      ConfigError: a file cannot be read.
    """
    absolute = sorted(Path(os.path.abspath(path)) for path in paths)
    root = os.path.commonpath([path.parent for path in absolute])
    sizes = [_file_size(path) for path in absolute]
    pieces = [
        (path, begin)
        for path, size in zip(absolute, sizes, strict=True)
        for begin in range(0, size, _PIECE_BYTES)
    ]
    total = hashlib.blake2b(digest_size=16)
    for path, size in zip(absolute, sizes, strict=True):
        total.update(os.fsencode(os.path.relpath(path, root)) + b"\0" + size.to_bytes(8, "big"))
    with ThreadPoolExecutor(available_cores()) as pool:
        for digest in pool.map(_digest_piece, *zip(*pieces, strict=True)) if pieces else ():
            total.update(digest)
    return total.hexdigest()


def _file_size(path: Path) -> int:
    with _translate_os_errors(path):
        return path.stat().st_size


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


def _match_files(pattern: str) -> Sequence[TablePath]:
    if is_store_address(pattern):
        return find_objects(pattern)
    # The name of a file may contain brackets or stars.
    if os.path.isfile(pattern):
        return [Path(pattern)]
    return [Path(name) for name in glob.glob(pattern, recursive=True) if os.path.isfile(name)]


def _files_by_span(pattern: str) -> dict[int, list[TablePath]]:
    before, width, after = _split_at_span(pattern)
    digits = rf"\d{{{width}}}" if width else r"\d+"
    name = re.compile(f"{_as_regex(before)}({digits}){_as_regex(after)}")
    found: dict[int, list[TablePath]] = {}
    for path in _match_files(f"{before}*{after}"):
        if match := name.fullmatch(str(path)):
            found.setdefault(int(match[1]), []).append(path)
    return found


def _split_at_span(pattern: str) -> tuple[str, str | None, str]:
    # Path() normalises the pattern as it normalises the file names that are compared with it.
    normal = pattern if is_store_address(pattern) else str(Path(pattern))
    before, width, after, *more = _SPAN.split(normal)
    if more:
        raise ConfigError(f"data.path: {{SPAN}} stands more than once in '{pattern}'")
    return before, width, after


def _as_regex(pattern: str) -> str:
    wildcards = {"*": "[^/]*", "**": ".*", "?": "[^/]"}
    return "".join(
        wildcards.get(part, part.replace("[!", "[^")) if index % 2 else re.escape(part)
        for index, part in enumerate(_WILDCARD.split(pattern))
    )


def _no_match_error(pattern: str, span: int | None) -> ConfigError:
    if span is not None:
        return ConfigError(
            f"data.path: no file of span {span} matches '{pattern}'",
            "all patterns are read at the newest span that any pattern matches",
        )
    if is_store_address(pattern):
        advice = f"if it is a folder, name its files: '{pattern.rstrip('/')}/*.csv'"
        hint = "" if _WILDCARD.search(pattern) else advice
        return ConfigError(f"data.path: no object matches '{pattern}'", hint)
    if os.path.isdir(pattern):
        return ConfigError(
            f"data.path: '{pattern}' is a directory", f"name its files: '{pattern}/*.csv'"
        )
    where = f"relative paths start at the working directory, {os.getcwd()}"
    return ConfigError(
        f"data.path: no file matches '{pattern}'", "" if os.path.isabs(pattern) else where
    )
