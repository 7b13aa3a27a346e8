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
from collections.abc import Mapping, Sequence
from pathlib import Path

from components.tables.digests import FileDigest, digest_files
from components.tables.sources.object_fingerprint import fingerprint_objects
from components.tables.sources.table_path import TablePath
from pipeline.config import DataConfig
from pipeline.core.errors import ConfigError
from pipeline.core.stores.address import is_store_address
from pipeline.core.stores.listing import StoreObject, find_objects

_SPAN = re.compile(r"\{SPAN(?::([1-9][0-9]?))?\}")
_WILDCARD = re.compile(r"(\*\*|\*|\?|\[[^]]+\])")


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


def compute_fingerprint(
    paths: Sequence[TablePath], digests: Mapping[Path, FileDigest] | None = None
) -> str:
    """Returns a digest of the files' content, and of their names below their common folder.

    Objects of stores are identified as `fingerprint_objects` does, other files by their bytes.

    Args:
      digests: the digests of the local files, if another process has computed them.

    Raises:
      ConfigError: a file cannot be read.
    """
    objects = [path for path in paths if isinstance(path, StoreObject)]
    local = [path for path in paths if isinstance(path, Path)]
    if not objects:
        return _fingerprint_files(local, digests)
    of_objects = fingerprint_objects(objects)
    if not local:
        return of_objects
    both = (_fingerprint_files(local, digests) + of_objects).encode()
    return hashlib.blake2b(both, digest_size=16).hexdigest()


def _fingerprint_files(
    paths: Sequence[Path], digests: Mapping[Path, FileDigest] | None = None
) -> str:
    """Returns a digest of the files' bytes, and of their names.

    The digest is BLAKE2b, the fastest of hashlib on machines without SHA instructions (above
    800 MB/s).

    Args:
      digests: the digests of the files, if another process has computed them.

    Raises:
      ConfigError: a file cannot be read.
    """
    absolute = sorted((Path(os.path.abspath(path)), path) for path in paths)
    root = os.path.commonpath([path.parent for path, _ in absolute])
    ordered = [path for _, path in absolute]
    found = [digests[path] for path in ordered] if digests else digest_files(ordered)
    total = hashlib.blake2b(digest_size=16)
    for (path, _), digest in zip(absolute, found, strict=True):
        name = os.fsencode(os.path.relpath(path, root))
        total.update(name + b"\0" + digest.size.to_bytes(8, "big"))
    for digest in found:
        for piece in digest.pieces:
            total.update(bytes.fromhex(piece))
    return total.hexdigest()


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
