"""The steps by which a whole version becomes the served version, for all who change it.

The Pusher, `promote` and `rollback` take the same steps in the same order, under the lock of the
serving directory. A kill between two steps leaves a whole pointer; `remove_unfinished_push` does
the rest.
"""

from __future__ import annotations

from components.pusher.models_config import write_models_config
from components.pusher.versions import confirm_push, list_rollback_targets, prune_versions
from components.served_model.changes import Change, read_changes
from components.served_model.pointer import read_pointer, write_pointer
from components.served_model.served_record import ServedRecord
from components.served_model.version_records import save_record, save_served_record


def publish(
    serving_directory: str, record: ServedRecord, change: Change | None, pipeline: str
) -> None:
    """Makes the version of `record` the served version.

    Args:
      change: None if the version is served already, and only its record changes.
      pipeline: the name of the pipeline, for a new file of TensorFlow Serving.
    """
    # An earlier release kept no record of the version that is served until now.
    save_served_record(serving_directory)
    save_record(serving_directory, record)
    write_pointer(serving_directory, record, change)
    confirm_push(serving_directory)
    write_models_config(serving_directory, record.version, pipeline)


def prune(serving_directory: str, keep: int, before: ServedRecord | None) -> None:
    """Removes old versions that nobody needs.

    Args:
      keep: the number of newest versions that stay.
      before: the record of the version that was served before this push. Runs that began before
        the push still read it.
    """
    served = read_pointer(serving_directory)
    targets = list_rollback_targets(serving_directory, read_changes(serving_directory), keep)
    needed = {version for one in (served, before) if one for version in one.needed_versions()}
    prune_versions(serving_directory, keep, needed | {*targets})
