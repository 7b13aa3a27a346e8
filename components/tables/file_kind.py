"""Opens the bytes of a table's file, decompressed, and refuses files that are no tables by name."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from pipeline.config.limits import DEFAULT_LIMITS, LimitsConfig
from pipeline.core.errors import ConfigError, DataError

_GZIP = b"\x1f\x8b"
_SIGNATURE_BYTES = 16
_BUFFER_BYTES = 1 << 20
_HARMLESS_BYTES = 1 << 30
"""1 GiB costs seconds, whatever it was unpacked from: streams are read in bounded memory."""
_UNPACK = "unpack it, or compress it with gzip"
_SAVE = "save the sheet as CSV"
_OTHER_KINDS = {
    b"PK\x03\x04": ("a spreadsheet or a zip archive", f"{_SAVE}, or unpack it"),
    b"\xd0\xcf\x11\xe0": ("an old spreadsheet", _SAVE),
    b"SQLite format 3": ("a database", "export the table as CSV or Parquet"),
    b"ARROW1": ("an Arrow file", "save the table as Parquet"),
    b"BZh": ("a bzip2 archive", _UNPACK),
    b"\xfd7zXZ": ("an xz archive", _UNPACK),
    b"\x28\xb5\x2f\xfd": ("a zstd archive", _UNPACK),
    b"\x04\x22\x4d\x18": ("an lz4 archive", _UNPACK),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", _UNPACK),
}
"""What the first bytes of a file say that it is, and what to do about it."""


@contextmanager
def reading_unpacked(path: Path) -> Iterator[IO[bytes]]:
    """Yields the file as `open_unpacked` does, and explains errors of decompressing it.

    Raises:
      ConfigError: see `open_unpacked`.
      DataError: see `open_unpacked`; or the compressed file is damaged.
    """
    try:
        with open_unpacked(path) as file:
            yield file
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise damaged_gzip(path, error) from None


def damaged_gzip(path: Path, cause: object) -> DataError:
    """Returns the error of a file that cannot be decompressed."""
    return DataError(f"{path}: not a whole gzip file: {cause}", "copy or compress it again")


def open_unpacked(path: Path, limits: LimitsConfig = DEFAULT_LIMITS) -> IO[bytes]:
    """Opens a file for reading bytes; a name that ends in .gz is decompressed on the way.

    Reading raises DataError beyond `limits.unpacked_ratio`.

    Raises:
      ConfigError: the file cannot be opened, or its first bytes show that it is no table.
      DataError: the name ends in .gz, but the file is not compressed with gzip.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_SIGNATURE_BYTES)
        _refuse_other_kinds(path, head)
        if path.suffix != ".gz":
            return path.open("rb")
        budget = UnpackedBudget(path, limits)
        return cast(IO[bytes], io.BufferedReader(_BoundedGzip(path, budget), _BUFFER_BYTES))
    except OSError as error:
        raise ConfigError(f"data.path: {path} cannot be read: {error.strerror}") from None


class UnpackedBudget:
    """Counts what a compressed file becomes, and refuses a file that becomes far too large."""

    def __init__(self, path: Path, limits: LimitsConfig) -> None:
        self._path = path
        self._limits = limits
        self._most = max(_HARMLESS_BYTES, limits.unpacked_ratio * path.stat().st_size)
        self._spent = 0

    def spend(self, size: int) -> None:
        """Counts `size` more bytes.

        Raises:
          DataError: the file has become larger than `limits.unpacked_ratio` allows.
        """
        self._spent += size
        if self._spent > self._most:
            raise DataError(
                f"{self._path}: becomes more than {self._limits.unpacked_ratio} times its size "
                "when it is unpacked, as no table does",
                "raise data.limits.unpacked_ratio if the file is good",
            )


class _BoundedGzip(io.RawIOBase):
    """The unpacked bytes of a gzip file, within a budget."""

    def __init__(self, path: Path, budget: UnpackedBudget) -> None:
        super().__init__()
        self._file = gzip.GzipFile(path)
        self._budget = budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = self._file.readinto(buffer)
        self._budget.spend(size)
        return size

    def close(self) -> None:
        self._file.close()
        super().close()


def _refuse_other_kinds(path: Path, head: bytes) -> None:
    for magic, (kind, advice) in _OTHER_KINDS.items():
        if head.startswith(magic):
            raise ConfigError(f"{path}: {kind}, not CSV or Parquet", advice)
    is_named_gzip = path.suffix == ".gz"
    if head.startswith(_GZIP) and not is_named_gzip:
        raise ConfigError(f"{path}: compressed with gzip", "give it a name that ends in .gz")
    if head and is_named_gzip and not head.startswith(_GZIP):
        raise damaged_gzip(path, "its first bytes are of another kind")
