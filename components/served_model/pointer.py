"""The pointer file: written atomically and last, so that what it names is always complete."""

from __future__ import annotations

import os
import uuid

from tfx.dsl.io import fileio

from components.durable import sync
from components.file_sizes import holds
from components.served_model.record import RECORD_FILE, Role, ServedRecord, parse_record, resolve


def read_pointer(serving_directory: str) -> ServedRecord | None:
    """What is served from `serving_directory`, or None if nothing is."""
    path = os.path.join(serving_directory, RECORD_FILE)
    if not fileio.exists(path):
        return None
    with fileio.open(path, "r") as file:
        record = parse_record(file.read(), path)
    # A model that was removed by hand, or a part of it, is not served, whatever the pointer says.
    if record is None or not holds(os.path.join(serving_directory, record.version), record.files):
        return None
    return record.at(serving_directory)


def find_record(serving_directory: str, role: Role, key: str) -> ServedRecord | None:
    """What a candidate with `key` is held against in `role`, if that still exists."""
    record = resolve(read_pointer(serving_directory), role, key)
    if record is None:
        return None
    reference = (record.served_schema, record.served_statistics)
    needed = reference if role == "reference" else (record.served_model,)
    return record if all(fileio.exists(path) for path in needed) else None


def write_pointer(serving_directory: str, record: ServedRecord) -> None:
    """Makes `record` the served model."""
    write_atomically(os.path.join(serving_directory, RECORD_FILE), record.to_json())


def write_atomically(path: str, text: str) -> None:
    """Readers see the old file or the new one, never a part."""
    staged = f"{path}.{uuid.uuid4().hex}"
    with fileio.open(staged, "w") as file:
        file.write(text)
    sync(staged)
    fileio.rename(staged, path, overwrite=True)
    sync(os.path.dirname(path))
