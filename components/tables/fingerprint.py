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
from pipeline.config import DataConfig
from pipeline.core.errors import ConfigError

_SPAN = re.compile(r"\{SPAN(?::([1-9][0-9]?))?\}")
_WILDCARD = re.compile(r"(\*\*|\*|\?|\[[^]]+\])")


def resolve_paths(data: DataConfig, span: int | None = None) -> tuple[list[Path], int]:
    """Returns the files that match `data.path`, sorted and without repetition, and their span.

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
    files: set[Path] = set()
    for pattern in data.path:
        matches = spans[pattern].get(span, []) if pattern in spans else _match_files(pattern)
        if not matches:
            raise _no_match_error(pattern, span if spans.get(pattern) else None)
        files.update(matches)
    return sorted(files), span


def compute_fingerprint(
    paths: Sequence[Path], digests: Mapping[Path, FileDigest] | None = None
) -> str:
    """Returns a digest of the files' bytes, and of their names below their common folder.

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


def _match_files(pattern: str) -> list[Path]:
    # The name of a file may contain brackets or stars.
    if os.path.isfile(pattern):
        return [Path(pattern)]
    return [Path(name) for name in glob.glob(pattern, recursive=True) if os.path.isfile(name)]


def _files_by_span(pattern: str) -> dict[int, list[Path]]:
    before, width, after = _split_at_span(pattern)
    digits = rf"\d{{{width}}}" if width else r"\d+"
    name = re.compile(f"{_as_regex(before)}({digits}){_as_regex(after)}")
    found: dict[int, list[Path]] = {}
    for path in _match_files(f"{before}*{after}"):
        if match := name.fullmatch(str(path)):
            found.setdefault(int(match[1]), []).append(path)
    return found


def _split_at_span(pattern: str) -> tuple[str, str | None, str]:
    # Path() normalises the pattern as it normalises the file names that are compared with it.
    before, width, after, *more = _SPAN.split(str(Path(pattern)))
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
    if os.path.isdir(pattern):
        return ConfigError(
            f"data.path: '{pattern}' is a directory", f"name its files: '{pattern}/*.csv'"
        )
    where = f"relative paths start at the working directory, {os.getcwd()}"
    return ConfigError(
        f"data.path: no file matches '{pattern}'", "" if os.path.isabs(pattern) else where
    )
