"""Opens the files of a table alike, on a file system and in an object store."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from pipeline.core.stores.listing import StoreObject
from pipeline.core.stores.reading import ObjectReader

if TYPE_CHECKING:
    import pyarrow as pa

TablePath = Path | StoreObject
"""A file of a table. An object is the one that was found, and unreadable once it is changed."""

_BUFFER_BYTES = 1 << 20


def open_bytes(path: TablePath) -> IO[bytes]:
    """Opens the file for reading, at any position.

    Raises, also while the file is read:
      OSError: a local file cannot be read.
      PipelineError: an object cannot be read, see `ObjectReader`.
    """
    if isinstance(path, Path):
        return path.open("rb")
    return cast(IO[bytes], io.BufferedReader(ObjectReader(path), _BUFFER_BYTES))


def path_or_file(path: TablePath) -> Any:
    """Returns what libraries open: the path of a local file, else an open file."""
    return path if isinstance(path, Path) else open_bytes(path)


def open_arrow(path: TablePath) -> pa.NativeFile:
    """Opens the file for Arrow; raises as `open_bytes` does."""
    # Imported here: the commands for past runs start without Arrow.
    import pyarrow as pa

    return pa.OSFile(str(path)) if isinstance(path, Path) else pa.PythonFile(open_bytes(path), "r")


def size_of(path: TablePath) -> int:
    """Returns the bytes of the file.

    Raises:
      OSError: a local file cannot be read.
    """
    return path.stat().st_size if isinstance(path, Path) else path.size


def suffix_of(path: TablePath) -> str:
    """Returns the last suffix of the file's name in lower case, such as `.gz`."""
    name = path if isinstance(path, Path) else Path(path.address.name)
    return name.suffix.lower()
