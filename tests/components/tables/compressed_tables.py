"""Writes one small table in each format of compressed files."""

import bz2
import gzip
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

TABLE = b"a,y\n1,no\n2,yes\n"


def write_zip(path: Path, *more: str, content: bytes = TABLE) -> None:
    """Writes the table, and a file for each of the `more` names."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("t.csv", *more):
            archive.writestr(name, content)


def write_zstd(path: Path, content: bytes = TABLE) -> None:
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        file.write(content)


WRITERS: dict[str, Callable[..., object]] = {
    # The time in the file would give a test another name in each process.
    ".gz": lambda path, content=TABLE: path.write_bytes(gzip.compress(content, mtime=0)),
    ".xz": lambda path, content=TABLE: path.write_bytes(lzma.compress(content)),
    ".bz2": lambda path, content=TABLE: path.write_bytes(bz2.compress(content)),
    ".zst": write_zstd,
    ".zip": lambda path, content=TABLE: write_zip(path, content=content),
}
"""By suffix: a function of the path and the content."""
