"""Opens the bytes of a table's file, decompressed, and refuses files that are no tables by name."""

from __future__ import annotations

import contextlib
from typing import IO

from components.tables.compression import (
    describe_damage,
    find_compression,
    is_spreadsheet,
    open_compressed,
    recognize_compression,
)
from components.tables.sources.table_path import TablePath, open_bytes
from pipeline.config.limits import DEFAULT_LIMITS, LimitsConfig
from pipeline.core.errors import ConfigError

_SIGNATURE_BYTES = 16
_SAVE = "save the sheet as CSV"
_OTHER_KINDS = {
    b"\xd0\xcf\x11\xe0": ("an old spreadsheet", _SAVE),
    b"SQLite format 3": ("a database", "export the table as CSV or Parquet"),
    b"ARROW1": ("an Arrow file", "save the table as Parquet"),
    b"\x04\x22\x4d\x18": ("an lz4 archive", "unpack it, or compress it with gzip"),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", "unpack it, or compress it with gzip"),
}
"""What the first bytes of a file say that it is, and what to do about it."""


def open_unpacked(path: TablePath, limits: LimitsConfig = DEFAULT_LIMITS) -> IO[bytes]:
    """Opens a file for reading bytes; a name that ends in .gz, .xz, .zst, .bz2 or .zip is unpacked.

    Raises, also while the file is read:
      ConfigError: the file cannot be opened, or its first bytes show that it is no table.
      DataError: the compressed file is damaged, or becomes larger than `limits` allow.
    """
    try:
        with contextlib.ExitStack() as unneeded:
            file = unneeded.enter_context(open_bytes(path))
            head = file.read(_SIGNATURE_BYTES)
            _refuse_other_kinds(path, head)
            compression = find_compression(path)
            if compression is None or not head:
                file.seek(0)
                unneeded.pop_all()
                return file
        return open_compressed(path, compression, limits)
    except OSError as error:
        raise ConfigError(f"data.path: {path} cannot be read: {error.strerror}") from None


def _refuse_other_kinds(path: TablePath, head: bytes) -> None:
    for magic, (kind, advice) in _OTHER_KINDS.items():
        if head.startswith(magic):
            raise ConfigError(f"{path}: {kind}, not CSV or Parquet", advice)
    named, found = find_compression(path), recognize_compression(head)
    if found and found.name == "zip" and is_spreadsheet(path):
        raise ConfigError(f"{path}: a spreadsheet, not CSV or Parquet", _SAVE)
    if named and head and found is not named:
        raise describe_damage(path, named, "its first bytes are of another kind")
    if found and not named:
        raise ConfigError(
            f"{path}: compressed with {found.name}", f"give it a name that ends in {found.suffix}"
        )
