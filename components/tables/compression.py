"""Opens compressed files: gzip, xz, zstd, bzip2, and zip archives of one file.

A file is compressed if its name says so, by its last suffix. What it becomes is bounded, against
zip bombs. gzip bounds itself, since deflate makes at most 1,032 bytes of one: with the default
limit, a gzip file is always read to its end, in bounded memory.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, cast

import pyarrow as pa

from components.tables.sources.table_path import (
    TablePath,
    open_arrow,
    path_or_file,
    size_of,
    suffix_of,
)
from pipeline.config.limits import LimitsConfig
from pipeline.core.errors import ConfigError, DataError

_BUFFER_BYTES = 1 << 20
_HARMLESS_BYTES = 1 << 30
"""1 GiB costs seconds, whatever it was unpacked from: streams are read in bounded memory."""
_SPREADSHEET_PARTS = {"[Content_Types].xml", "mimetype"}
"""The files by which Excel's and OpenDocument's spreadsheets differ from other zip archives."""
_MAC_FOLDER = "__MACOSX/"
"""Where macOS puts notes of its own into each archive."""
_ENCRYPTED = 1
_DAMAGE = (
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,  # A method of compression that zipfile does not know.
)


@dataclass(frozen=True)
class Compression:
    """A format of compressed files."""

    name: str
    suffix: str
    magic: bytes
    """The first bytes of each file."""
    open: Callable[[TablePath], Any]
    """Returns a stream with `readinto`."""


def _open_gzip(path: TablePath) -> Any:
    return gzip.open(path_or_file(path))


def _open_xz(path: TablePath) -> Any:
    return lzma.LZMAFile(path_or_file(path))


def _open_bzip2(path: TablePath) -> Any:
    return bz2.BZ2File(path_or_file(path))


def _open_zstd(path: TablePath) -> pa.NativeFile:
    return pa.CompressedInputStream(open_arrow(path), "zstd")


def _open_zip(path: TablePath) -> IO[bytes]:
    archive = zipfile.ZipFile(path_or_file(path))
    members = [m for m in archive.infolist() if not m.is_dir()]
    members = [m for m in members if not m.filename.startswith(_MAC_FOLDER)]
    if len(members) != 1:
        raise ConfigError(
            f"{path}: a zip archive of {len(members)} files",
            "unpack it: data.path may name several files, or be a pattern",
        )
    if members[0].flag_bits & _ENCRYPTED:
        raise ConfigError(f"{path}: an encrypted zip archive", "unpack it")
    return archive.open(members[0])


_FORMATS = (
    Compression("gzip", ".gz", b"\x1f\x8b", _open_gzip),
    Compression("xz", ".xz", b"\xfd7zXZ", _open_xz),
    Compression("zstd", ".zst", b"\x28\xb5\x2f\xfd", _open_zstd),
    Compression("bzip2", ".bz2", b"BZh", _open_bzip2),
    Compression("zip", ".zip", b"PK\x03\x04", _open_zip),
)


def find_compression(path: TablePath) -> Compression | None:
    """Returns the format that the name of the file says, or None."""
    return next((each for each in _FORMATS if each.suffix == suffix_of(path)), None)


def recognize_compression(head: bytes) -> Compression | None:
    """Returns the format that the first bytes of a file show, or None."""
    return next((each for each in _FORMATS if head.startswith(each.magic)), None)


def is_spreadsheet(path: TablePath) -> bool:
    """Whether a zip archive is a spreadsheet."""
    try:
        with zipfile.ZipFile(path_or_file(path)) as archive:
            return not _SPREADSHEET_PARTS.isdisjoint(archive.namelist())
    except zipfile.BadZipFile:
        return False


def open_compressed(path: TablePath, compression: Compression, limits: LimitsConfig) -> IO[bytes]:
    """Opens a compressed file for reading its unpacked bytes.

    Raises, also while the file is read:
      OSError: the file cannot be read.
      ConfigError: the zip archive does not hold one file, or is encrypted.
      DataError: the file is damaged, or becomes larger than `limits.unpacked_ratio` allows.
    """
    with _explaining_damage(path, compression):
        file = compression.open(path)
    stream = _Unpacked(path, compression, file, UnpackedBudget(path, limits))
    return cast(IO[bytes], io.BufferedReader(stream, _BUFFER_BYTES))


def describe_damage(path: TablePath, compression: Compression, cause: object) -> DataError:
    """Returns the error of a file that cannot be unpacked."""
    return DataError(
        f"{path}: not a whole {compression.name} file: {cause}", "copy or compress it again"
    )


@contextmanager
def _explaining_damage(path: TablePath, compression: Compression) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        raise describe_damage(path, compression, error) from None
    except OSError as error:
        # Damaged gzip, bzip2 and zstd files are OSErrors too, but not of the system.
        if error.errno is not None:
            raise
        raise describe_damage(path, compression, error) from None


class UnpackedBudget:
    """Counts what a compressed file becomes, and refuses a file that becomes far too large."""

    def __init__(self, path: TablePath, limits: LimitsConfig, share: float = 1.0) -> None:
        """Creates a budget.

        Args:
          share: the share of the file that is read.
        """
        self._path = path
        self._limits = limits
        self._most = max(_HARMLESS_BYTES, limits.unpacked_ratio * size_of(path) * share)
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
                "when it is unpacked, which even a sparse table hardly does",
                "raise data.limits.unpacked_ratio if the file is good",
            )


class _Unpacked(io.RawIOBase):
    """The unpacked bytes of a file, within a budget."""

    def __init__(
        self, path: TablePath, compression: Compression, file: Any, budget: UnpackedBudget
    ) -> None:
        super().__init__()
        self._path = path
        self._compression = compression
        self._file = file
        self._budget = budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _explaining_damage(self._path, self._compression):
            size: int = self._file.readinto(buffer)
        self._budget.spend(size)
        return size

    def close(self) -> None:
        self._file.close()
        super().close()
