"""The output of a prediction: whose it is, and which process works in it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from pipeline.core.error_causes import is_disk_full
from pipeline.core.errors import ConfigError
from pipeline.core.files import try_lock
from pipeline.core.stores.address import is_store_address
from serving.batch.results.bad_rows import BAD_ROWS_FILE
from serving.batch.results.records import RECORDS_DIRECTORY

_LOCK = ".lock"
_OF_FILE_SYSTEMS = ("lost+found", ".snapshot", ".nfs", ".Trash-")
"""The names of what file systems keep in a directory begin so."""

_HINT = "name an empty directory or a new one (prediction.output in the configuration)"


def own_output(output: str) -> contextlib.AbstractContextManager[None]:
    """Makes the output directory and locks it for this process while the context lasts.

    Raises:
      ConfigError: it holds files of others, cannot be written, or another process works in it.
    """
    if is_store_address(output):
        from serving.batch.results.store_output import own_store_output

        return own_store_output(output)
    return _own_directory(Path(output))


@contextlib.contextmanager
def _own_directory(output: Path) -> Iterator[None]:
    try:
        _check_directory(output, "--output")
        output.mkdir(parents=True, exist_ok=True)
        file = (output / _LOCK).open("a", encoding="utf-8")
    except OSError as error:
        if is_disk_full(error):
            raise
        raise ConfigError(f"--output {output}: cannot be written: {error.strerror}") from None
    with file:
        if not try_lock(file.fileno()):
            raise ConfigError(
                f"--output {output}: another prediction is at work here",
                "wait for its end, or name another directory",
            )
        # Whatever else a killed prediction leaves, its directory says whose it is.
        (output / RECORDS_DIRECTORY).mkdir(exist_ok=True)
        yield


def check_output(output: str, key: str) -> None:
    """Refuses a file, and a directory that holds files, and no records of a prediction.

    A prediction replaces and removes files there whose names others use, too, such as
    manifest.json.

    Args:
      key: the name of the setting, for the message.

    Raises:
      ConfigError: it is no directory, holds files of others, or cannot be read; a store can also
        not be written.
    """
    if is_store_address(output):
        from serving.batch.results.store_output import check_store_output

        check_store_output(output, key)
    else:
        _check_directory(Path(output), key)


def _check_directory(output: Path, key: str) -> None:
    place = next(path for path in (output, *output.parents) if os.path.lexists(path))
    if not place.is_dir():
        raise ConfigError(f"{key} {output}: {place} is no directory", _HINT)
    try:
        names = set(os.listdir(output)) if output.is_dir() else set()
    except OSError as error:
        raise ConfigError(f"{key} {output}: cannot be read: {error.strerror}") from None
    if RECORDS_DIRECTORY in names:
        return
    if foreign := [name for name in names if not _belongs_here(name, names)]:
        # Hidden names last: a person looks for a file that `ls` shows.
        shown = min(foreign, key=lambda name: (name.startswith("."), name))
        raise ConfigError(
            f"{key} {output}: holds other files, such as '{shown}'",
            _HINT,
        )


def _belongs_here(name: str, names: Collection[str]) -> bool:
    # What earlier versions left of a prediction that too many bad rows stopped at once.
    is_stopped = name == BAD_ROWS_FILE and _LOCK in names
    return name == _LOCK or is_stopped or name.startswith(_OF_FILE_SYSTEMS)
