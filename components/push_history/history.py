"""The metrics of every pushed model, in a file of the serving directory.

`gc` removes old runs, and `serving.keep_versions` removes old versions. This file stays, so that a
slow decline over many pushes can be seen.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from components.predictions.deciding_metrics import read_deciding_metrics
from components.predictions.estimates import Estimate
from components.served_model.served_record import ServedRecord
from pipeline.core.contracts import ArtifactFile
from pipeline.core.files import write_bytes_atomically

_MOST = 1_000
"""A push each night for three years, some 500 kB."""


@dataclass(frozen=True)
class Push:
    """A model when it was pushed."""

    version: str
    at: str
    """ISO 8601 in UTC."""
    label: str
    """The section `label` as JSON. Metrics of other labels cannot be compared."""
    split: str
    examples: int
    """Rows of the split."""
    metrics: Mapping[str, Estimate]
    """The metrics with a threshold."""


_PUSHES = TypeAdapter(tuple[Push, ...])


def read_pushes(serving_directory: str) -> tuple[Push, ...]:
    """Returns all pushes on record, the oldest one first; none if the file is lost or damaged."""
    try:
        with open(os.path.join(serving_directory, ArtifactFile.PUSH_HISTORY), "rb") as file:
            return _PUSHES.validate_json(file.read())
    except (OSError, ValidationError):
        return ()


def note_push(serving_directory: str, record: ServedRecord, at: str) -> None:
    """Puts a pushed model on record, unless it is so already, or its metrics are out of reach."""
    pushes = read_pushes(serving_directory)
    measured = read_deciding_metrics(record.evaluation)
    if measured is None or any(push.version == record.version for push in pushes):
        return
    push = Push(
        record.version, at, record.label, measured.split, measured.examples, measured.candidate
    )
    content = _PUSHES.dump_json((*pushes, push)[-_MOST:])
    write_bytes_atomically(
        os.path.join(serving_directory, ArtifactFile.PUSH_HISTORY), content, durable=False
    )
