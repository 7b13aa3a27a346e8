"""The record of each version in the serving directory, for a rollback to the version.

The pointer holds the record of the served version only. A record lies beside the schema and the
statistics of its version, and goes with them.
"""

from __future__ import annotations

import os

from components.served_model.changes import list_whole_versions
from components.served_model.pointer import find_damage
from components.served_model.served_record import (
    ServedRecord,
    parse_record,
    read_pointer_file,
    reference_directory,
)
from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import ConfigError
from pipeline.core.files import write_text_atomically

_MOST_SHOWN = 5


def save_record(serving_directory: str, record: ServedRecord) -> None:
    """Keeps the record of a version, which must be in the serving directory."""
    path = _record_path(serving_directory, record.version)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_text_atomically(path, record.with_directory("").to_json(), durable=True)


def save_served_record(serving_directory: str) -> None:
    """Keeps the record of the served version if an earlier release did not.

    Raises:
      ConfigError: the pointer is damaged or cannot be read.
    """
    served = read_pointer_file(serving_directory)
    if served is None or not os.path.isdir(served.served_model):
        return
    if not os.path.exists(_record_path(serving_directory, served.version)):
        save_record(serving_directory, served)


def find_version_record(serving_directory: str, version: str) -> ServedRecord | None:
    """Returns the record of a version; None if the serving directory does not hold it.

    The pointer names its reference and its baseline, too, but without what these were compared
    with.

    Raises:
      ConfigError: the pointer is damaged or cannot be read.
    """
    if record := _read_kept_record(_record_path(serving_directory, version)):
        return record.with_directory(serving_directory)
    served = read_pointer_file(serving_directory)
    known = (served, served.baseline, served.reference) if served else ()
    return next((one for one in known if one and one.version == version), None)


def _read_kept_record(path: str) -> ServedRecord | None:
    try:
        with open(path, encoding="utf-8") as file:
            return parse_record(file.read(), path)
    except (OSError, ValueError, ConfigError):
        # Lost or damaged: the pointer or the run of the version may still have the record.
        return None


def refuse_damaged(record: ServedRecord) -> None:
    """Raises ConfigError if a file of the version, its schema or its statistics is lost or cut."""
    if damage := find_damage(record):
        raise ConfigError(
            f"version {record.version} cannot be served: {damage}",
            "choose another version; `versions` lists them",
        )


def list_unnamed(serving_directory: str) -> list[str]:
    """Returns the versions that were served, the newest last, if no pointer names any of them.

    Raises:
      ConfigError: the pointer is damaged or cannot be read.
    """
    if read_pointer_file(serving_directory) is not None:
        return []
    # A kill within the first push leaves a record, too, but then the version is still pending.
    versions = list_whole_versions(serving_directory, "")
    return [v for v in versions if os.path.exists(_record_path(serving_directory, v))]


def refuse_lost_pointer(serving_directory: str) -> None:
    """Raises ConfigError if there are versions, and the pointer that named the served one is gone.

    A run would take this for a first run: it would push its model without any comparison, even a
    model that a rollback withdrew.
    """
    if versions := list_unnamed(serving_directory):
        path = os.path.join(serving_directory, ArtifactFile.SERVED_RECORD)
        shown = ", ".join(versions[-_MOST_SHOWN:])
        raise ConfigError(
            f"serving.directory: {path} is gone, and with it which of the versions was served "
            f"({shown}), and which were withdrawn",
            "put a backup of the file in its place, or serve a version again: `promote VERSION`; "
            "models.config beside it names the version that was served last. To begin anew, name "
            "an empty serving.directory",
        )


def refuse_lost_version(serving_directory: str, run_key: str) -> None:
    """Raises ConfigError if the served version, its schema or its statistics have lost files.

    A run would take this for a first run: it would compare neither its data nor its model with
    anything. The run with the key of the lost version may go on: it makes the same model anew.
    """
    served = read_pointer_file(serving_directory)
    if served is None or served.run_key == run_key:
        return
    if damage := find_damage(served):
        raise ConfigError(
            f"serving.directory: version {served.version} is served, but {damage}, so that no "
            "other model can be compared with it",
            "put a backup in its place; or serve another version: `rollback`, or `promote "
            "VERSION`; or run with the data and the settings of this version, which makes it anew. "
            "To begin anew, name an empty serving.directory",
        )


def _record_path(serving_directory: str, version: str) -> str:
    directory = reference_directory(serving_directory, version)
    return os.path.join(directory, ArtifactFile.SERVED_RECORD)
