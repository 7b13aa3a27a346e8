"""The pointer file names the served version.

The Pusher writes the pointer last and atomically, so the version that it names is always complete.
This module imports neither TFX nor TensorFlow, since `rollback` and `promote` write the pointer,
too.
"""

from __future__ import annotations

import os

from components.served_model.changes import (
    Change,
    list_whole_versions,
    read_changes,
    to_pointer_text,
)
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
    """Returns the record of the served model, or None if no whole model is served.

    Raises:
      ConfigError: the pointer is damaged, or the directory cannot be read.
    """
    record = read_pointer_file(serving_directory)
    # A person may have removed the version, or a part of it: then no model is served.
    return record if record and _is_whole(record) else None


def find_record(serving_directory: str, role: Role, key: str) -> ServedRecord | None:
    """Returns the record that a candidate with `key` is compared with in `role`.

    None if the candidate has no such record, or if the files that the role needs are gone.

    Raises:
      ConfigError: the pointer is damaged, or the directory cannot be read.
    """
    record = resolve_role(read_pointer(serving_directory), role, key)
    if record is None:
        return None
    reference = (record.served_schema, record.served_statistics)
    needed = reference if role == "reference" else (record.served_model,)
    return record if all(_exists(path) for path in needed) else None


def make_resolution(key: str, record: ServedRecord | None) -> str:
    """Returns the text by which the cache sees the served model: the key and a hash of the record.

    The runner computes it when a run begins and passes it to each component that reads the served
    model.
    """
    return f"{key}:{hash_texts(record.to_json() if record else '')}"


def find_unchanged_record(
    serving_directory: str, role: Role, key: str, resolved: str
) -> ServedRecord | None:
    """Returns what `find_record` returns, if nothing has changed since the run began.

    Without this check, the cache would later return an output that was made from another record.

    Args:
      resolved: what `make_resolution` returned when the run began.

    Raises:
      ConfigError: another model is served now, or the directory cannot be read.
      DataError: the data is no longer the data that the run began with.
    """
    if not resolved.startswith(f"{key}:"):
        raise DataError(
            "data.path: the files were changed after the run had begun", "start another run"
        )
    record = find_record(serving_directory, role, key)
    if make_resolution(key, record) != resolved:
        raise make_overtaken_error(serving_directory)
    return record


def resolve_withdrawal(serving_directory: str, key: str) -> str:
    """Returns the text by which the cache sees that the candidate with `key` is withdrawn.

    Empty if it is not. The runner computes it when a run begins and passes it to the Pusher.

    Raises:
      ConfigError: the pointer is damaged, or the directory cannot be read.
    """
    withdrawal = read_changes(serving_directory).find_withdrawal(key)
    return withdrawal.to_property() if withdrawal else ""


def make_overtaken_error(serving_directory: str) -> ConfigError:
    """Returns the error of a run that began while another model was served."""
    served = read_pointer(serving_directory)
    pushed = (
        f"another run pushed {served.version} meanwhile, or rolled back to it" if served else ""
    )
    return ConfigError(
        f"serving.directory: {serving_directory} is not as it was when this run began: "
        f"{pushed or 'nothing is served now'}",
        "run again: the model is compared with what is served now",
    )


def find_damage(record: ServedRecord) -> str:
    """Returns what is lost of a version, its schema or its statistics; empty if all is there.

    Raises:
      ConfigError: the directory cannot be read.
    """
    if not _is_whole(record):
        return f"{record.served_model} is not there, or has lost files"
    needed = (record.served_schema, record.served_statistics)
    gone = [path for path in needed if not _exists(path)]
    return f"{gone[0]} is not there" if gone else ""


def _is_whole(record: ServedRecord) -> bool:
    try:
        return _exists(record.served_model) and has_files(record.served_model, record.files)
    except OSError as error:
        raise make_unreadable_error(record.served_model, str(error.strerror)) from None


def _exists(path: str) -> bool:
    """Returns whether the path exists. Raises ConfigError if that cannot be determined."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise make_unreadable_error(path, str(error.strerror)) from None
    return True


def write_pointer(
    serving_directory: str, record: ServedRecord, change: Change | None = None
) -> None:
    """Makes the version of `record` the served version, and puts the change on record.

    Args:
      change: None if the version is served already, and only its record changes.
    """
    changes = read_changes(serving_directory)
    if change is not None:
        existing = {*list_whole_versions(serving_directory, record.version)}
        changes = changes.add(change, existing)
    path = os.path.join(serving_directory, ArtifactFile.SERVED_RECORD)
    # The directory is that of the process which reads the pointer.
    text = to_pointer_text(record.with_directory(""), changes)
    write_text_atomically(path, text, durable=True)
