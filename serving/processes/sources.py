"""Where the server learns which version it should serve: the pointer, or one fixed directory."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Protocol

from components.served_model.served_record import ServedRecord, read_pointer_file
from components.served_model.store.local_copy import LocalCopy
from pipeline.config import LabelConfig
from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import ConfigError
from serving.processes.messages import Version


class Source(Protocol):
    """Tells which version should be served."""

    def has_changed(self) -> bool:
        """Whether `read` may return another version than when it was last called."""

    def read(self) -> Version:
        """Returns the version to serve.

        Raises:
          ConfigError: there is none, or it is not whole.
        """


class PointerSource:
    """The version that the pointer in a serving directory names."""

    def __init__(self, serving_directory: Path) -> None:
        self._directory = serving_directory
        self._seen: tuple[int, ...] | None = None

    def has_changed(self) -> bool:
        return self._seen != self._stamp()

    def read(self) -> Version:
        # Before reading: a pointer that is replaced meanwhile is read again later.
        self._seen = self._stamp()
        record = read_pointer_file(str(self._directory))
        if record is None:
            raise _make_empty_error(self._directory)
        _check_files(record)
        return Version(
            record.version,
            record.served_model,
            record.served_statistics,
            _find_positive_class(record.label),
        )

    def _stamp(self) -> tuple[int, ...] | None:
        """Returns what differs between two pointers; a push replaces the file."""
        try:
            status = os.stat(self._directory / ArtifactFile.SERVED_RECORD)
        except OSError:
            return None
        return status.st_mtime_ns, status.st_ino, status.st_size


class StoreSource:
    """The version that the pointer on an object store names; its files are copied to this machine.

    While the store does not answer, the copy goes on being served.
    """

    def __init__(self, copy: LocalCopy) -> None:
        self._copy = copy
        self._pointer = PointerSource(Path(copy.directory))

    def has_changed(self) -> bool:
        from components.served_model.store.refreshing import has_changed

        # A command on this machine may have changed both.
        return self._pointer.has_changed() or has_changed(self._copy)

    def read(self) -> Version:
        from components.served_model.store.refreshing import refresh

        refresh(self._copy.directory, "served")
        return self._pointer.read()


class FixedSource:
    """One SavedModel, which never changes."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def has_changed(self) -> bool:
        return False

    def read(self) -> Version:
        # TensorFlow Serving numbers versions, too; its clients expect a number.
        name = self._directory.name
        return Version(name if name.isdigit() else "1", str(self._directory), "")


def open_source(directory: Path) -> Source:
    """Returns the source for a serving directory, or for the directory of a SavedModel.

    Raises:
      ConfigError: the directory is neither.
    """
    if (directory / ArtifactFile.SAVED_MODEL).exists():
        return FixedSource(directory)
    if not directory.is_dir():
        raise ConfigError(f"{directory}: no such directory", "push a model first, or correct it")
    copy = LocalCopy.find(str(directory))
    return StoreSource(copy) if copy else PointerSource(directory)


def _make_empty_error(directory: Path) -> ConfigError:
    below = directory / "serving"
    if (below / ArtifactFile.SERVED_RECORD).exists():
        hint = f"did you mean {below}?"
    else:
        hint = "push one first: python -m pipeline run"
    return ConfigError(f"{directory}: no model is served here yet", hint)


def _find_positive_class(label: str) -> str:
    """Returns the second class of two in the section `label` as JSON; empty for other tasks."""
    # An earlier release may have written another section: only a page asks for the class.
    with contextlib.suppress(ValueError):
        read = LabelConfig.model_validate_json(label)
        if read.task == "binary":
            return read.classes[1]
    return ""


def _check_files(record: ServedRecord) -> None:
    for name, size in record.files.items():
        path = os.path.join(record.served_model, name)
        try:
            found = os.path.getsize(path)
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror}", "push the model again") from None
        if found != size:
            raise ConfigError(
                f"{path}: damaged, it has {found:,} bytes instead of {size:,}",
                "push the model again",
            )
