"""Checks, before hours of work, that a push may and can write to the serving directory.

The client of object stores is imported late: most pipelines have none.
"""

from __future__ import annotations

import os
from pathlib import Path

from components.pusher.models_config import MODELS_CONFIG
from components.served_model.served_record import PENDING, REFERENCE_DIRECTORY
from components.served_model.store.local_copy import LocalCopy
from components.served_model.waiting import WAITING_DIRECTORY
from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import ConfigError
from pipeline.core.files import is_staged
from pipeline.runners.workspace.lock import check_writable, make_writable

_KEY = "serving.directory"
_OWN = (
    ".lock", ".push.lock", REFERENCE_DIRECTORY, PENDING, WAITING_DIRECTORY, MODELS_CONFIG,
    ArtifactFile.PUSH_HISTORY, ".staged-", ".served.json.",
)  # fmt: skip
"""The names of what runs and pushes write beside the versions begin so."""
_OF_FILE_SYSTEMS = ("lost+found", ".snapshot", ".nfs", ".Trash-")
"""The names of what file systems keep in a directory begin so."""


def check_serving(directory: Path) -> None:
    """Makes the serving directory unless it exists, and checks that a push can write to it.

    Raises:
      ConfigError: a push cannot write to the directory.
    """
    make_writable(directory, _KEY)
    if (references := directory / REFERENCE_DIRECTORY).exists():
        check_writable(references, _KEY)


def check_serving_store(directory: Path, address: str) -> None:
    """Checks that a push can write to the address, and makes the copy as the store is.

    Raises:
      ConfigError: a push may not or cannot write there.
      PipelineError: the store does not answer, or an object is damaged.
    """
    from components.served_model.store.checking import check_store

    check_store(address)
    LocalCopy.make(str(directory), address)
    open_serving_copy(directory)


def open_serving_copy(directory: Path) -> None:
    """Makes the copy in a directory as its store is; does nothing for another directory."""
    if LocalCopy.find(str(directory)):
        from components.served_model.store.refreshing import refresh

        refresh(str(directory))


def refuse_foreign(directory: Path) -> None:
    """Raises ConfigError if the directory holds files of others, and no pointer of a push.

    A push writes versions there, removes old ones, and model servers load every directory whose
    name is a number. So `/`, a home directory or a directory of data is most probably a mistake.
    """
    try:
        names = os.listdir(directory)
    except OSError:
        return  # There is no such directory; `make_writable` explains what else is wrong.
    if ArtifactFile.SERVED_RECORD in names:
        return
    if foreign := sorted(name for name in names if not _belongs_here(name)):
        raise ConfigError(
            f"{_KEY}: {directory} holds other files, such as {foreign[0]!r}",
            f"name a directory of its own for the versions: {_KEY}={directory / 'models'}",
        )


def _belongs_here(name: str) -> bool:
    return name.isdigit() or is_staged(name) or name.startswith((*_OWN, *_OF_FILE_SYSTEMS))
