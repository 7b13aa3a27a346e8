"""What is served, and what it was held against: the content of the pointer beside the versions.

The pointer is the only thing a run reads of earlier runs. The gate takes its reference schema and
statistics from it, the Evaluator its baseline.
"""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass, field
from typing import Any, Literal

from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import ConfigError

Role = Literal["reference", "baseline"]

REFERENCE_DIRECTORY = ".reference"
"""Below the serving directory; model servers pass over what is no number."""


@dataclass(frozen=True)
class ServedRecord:
    """One served model, and the URIs of the artifacts it is of.

    Later runs read none of these artifacts, which they may be unable to reach, but what the Pusher
    has copied below the serving directory: the model, its schema and its statistics.
    """

    version: str
    model: str
    evaluation: str
    statistics: str
    schema: str
    label: str
    """The label section as JSON; models of different labels cannot be compared."""
    data_key: str
    """Identifies the data and the rules it was held to: equal keys, equal findings."""
    run_key: str
    """Identifies everything the model depends on: equal keys, the same model."""
    files: dict[str, int] = field(default_factory=dict)
    """The bytes of each file of the version, by its path below it: otherwise it is not whole."""
    reference: ServedRecord | None = None
    """The served model whose data this one's data was held against."""
    baseline: ServedRecord | None = None
    """The served model this one was compared with."""
    directory: str = ""
    """The serving directory, as whoever reads the pointer has it."""

    @property
    def served_model(self) -> str:
        """The SavedModel."""
        return os.path.join(self.directory, self.version)

    @property
    def served_schema(self) -> str:
        """The schema that the data was held to, as a Schema artifact has it."""
        return os.path.join(reference_directory(self.directory, self.version), "schema")

    @property
    def served_statistics(self) -> str:
        """The statistics of the data, as an ExampleStatistics artifact has them."""
        return os.path.join(reference_directory(self.directory, self.version), "statistics")

    def with_directory(self, directory: str) -> ServedRecord:
        """The record with `directory` as the serving directory, also of what it was held to."""
        reference = self.reference and self.reference.with_directory(directory)
        baseline = self.baseline and self.baseline.with_directory(directory)
        return dataclasses.replace(
            self, directory=directory, reference=reference, baseline=baseline
        )

    def needed_versions(self) -> set[str]:
        """The versions that a run may still read: its own, and what it was held against."""
        others = (self.reference, self.baseline)
        return {self.version, *(other.version for other in others if other)}

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), indent=1, sort_keys=True)

    def without_history(self) -> ServedRecord:
        """Without its own history, so that pointers do not grow with every push."""
        return dataclasses.replace(self, reference=None, baseline=None)


def reference_directory(serving_directory: str, version: str) -> str:
    """What later data are held against while `version` is served."""
    return os.path.join(serving_directory, REFERENCE_DIRECTORY, version)


def parse_record(text: str, source: str) -> ServedRecord | None:
    """The record in `text`, or None for the empty object that says nothing is served.

    Raises:
      ConfigError: `source`, the file that holds the text, was damaged.
    """
    try:
        return _from_dict(json.loads(text))
    except (ValueError, TypeError, AttributeError):
        raise ConfigError(
            f"{source}: damaged, it does not say what is served",
            "remove it: the next model is then pushed as a first one, compared with none",
        ) from None


def read_pointer_file(serving_directory: str) -> ServedRecord | None:
    """What the pointer names, whether or not it is whole; None if there is no pointer.

    Raises:
      ConfigError: the pointer is damaged, or cannot be read. That is no first run: the candidate
        would be pushed, compared with none.
    """
    path = os.path.join(serving_directory, ArtifactFile.SERVED_RECORD)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise make_unreadable_error(path, str(error.strerror)) from None
    record = parse_record(text, path)
    return record.with_directory(serving_directory) if record else None


def make_unreadable_error(path: str, reason: str) -> ConfigError:
    """What is served cannot be known."""
    return ConfigError(
        f"serving.directory: {path} cannot be read: {reason}",
        "give the user who runs this the right to read it, or name another serving.directory",
    )


def read_record_artifact(uri: str) -> ServedRecord | None:
    """The record that the ServedModel artifact at `uri` holds, or None on a first run."""
    path = os.path.join(uri, ArtifactFile.SERVED_RECORD)
    with open(path, encoding="utf-8") as file:
        return parse_record(file.read(), path)


def is_same_model(one: ServedRecord | None, other: ServedRecord | None) -> bool:
    """Whether both name one model, however often it was judged, or both none."""
    if one is None or other is None:
        return one is other
    return (one.version, one.model) == (other.version, other.model)


def _from_dict(fields: dict[str, Any] | None) -> ServedRecord | None:
    if not fields:
        return None
    nested = {role: _from_dict(fields.get(role)) for role in ("reference", "baseline")}
    return ServedRecord(**(fields | nested))


def resolve_role(served: ServedRecord | None, role: Role, key: str) -> ServedRecord | None:
    """What a candidate with `key` is held against.

    That is the served model; unless the candidate *is* the served model (an unchanged second
    run): then what the served model was held against in its time, so that nothing is compared
    with itself and the run is wholly cached.
    """
    if served is None:
        return None
    if role == "reference":
        return served.reference if served.data_key == key else served.without_history()
    return served.baseline if served.run_key == key else served.without_history()
