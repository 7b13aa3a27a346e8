"""The pointer file: written atomically and last, so that what it names is always complete."""

from __future__ import annotations

import os

import tensorflow as tf

from components.served_model.keys import hash_texts
from components.served_model.served_record import (
    Role,
    ServedRecord,
    make_unreadable_error,
    read_pointer_file,
    resolve_role,
)
from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import ConfigError, DataError
from pipeline.core.files import has_files, write_text_atomically


def read_pointer(serving_directory: str) -> ServedRecord | None:
    """What is served from `serving_directory`, or None if nothing is.

    Raises:
      ConfigError: it cannot be known.
    """
    record = read_pointer_file(serving_directory)
    # A model that was removed by hand, or a part of it, is not served, whatever the pointer says.
    return record if record and _is_whole(record) else None


def find_record(serving_directory: str, role: Role, key: str) -> ServedRecord | None:
    """What a candidate with `key` is held against in `role`, if that still exists.

    Raises:
      ConfigError: it cannot be known.
    """
    record = resolve_role(read_pointer(serving_directory), role, key)
    if record is None:
        return None
    reference = (record.served_schema, record.served_statistics)
    needed = reference if role == "reference" else (record.served_model,)
    return record if all(_exists(path) for path in needed) else None


def make_resolution(key: str, record: ServedRecord | None) -> str:
    """What a run is told at its beginning of the record that it will find; for the cache."""
    return f"{key}:{hash_texts(record.to_json() if record else '')}"


def find_unchanged_record(
    serving_directory: str, role: Role, key: str, resolved: str
) -> ServedRecord | None:
    """What `find_record` finds, if it still is what the run was told.

    The cache would take what comes of one for that of the other.

    Raises:
      ConfigError: something else is served now, or cannot be read.
      DataError: the run was told of other data.
    """
    if not resolved.startswith(f"{key}:"):
        raise DataError(
            "data.path: the files were changed after the run had begun", "start another run"
        )
    record = find_record(serving_directory, role, key)
    if make_resolution(key, record) != resolved:
        raise make_overtaken_error(serving_directory)
    return record


def make_overtaken_error(serving_directory: str) -> ConfigError:
    """A run that knows another state of what is served cannot go on."""
    served = read_pointer(serving_directory)
    pushed = f"another run pushed {served.version} meanwhile, or went back to it" if served else ""
    return ConfigError(
        f"serving.directory: {serving_directory} is not as it was when this run began: "
        f"{pushed or 'nothing is served now'}",
        "run again: the model is compared with what is served now",
    )


def _is_whole(record: ServedRecord) -> bool:
    try:
        return _exists(record.served_model) and has_files(record.served_model, record.files)
    except tf.errors.OpError as error:
        raise make_unreadable_error(record.served_model, error.message) from None


def _exists(path: str) -> bool:
    """Unlike other functions of this name, no where it cannot be known."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise make_unreadable_error(path, str(error.strerror)) from None
    return True


def write_pointer(serving_directory: str, record: ServedRecord) -> None:
    """Makes `record` the served model."""
    path = os.path.join(serving_directory, ArtifactFile.SERVED_RECORD)
    write_text_atomically(path, record.to_json(), durable=True)
