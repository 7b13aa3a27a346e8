"""ServedRecord: the content of the pointer file.

The pointer is the only output of earlier runs that a run reads. From it the gate takes its
reference schema and statistics, and the Evaluator its baseline. This module imports neither TFX nor
TensorFlow, since the command line reads the pointer, too.
"""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass, field
from typing import Any, Literal

from components.served_model.keys import make_push_key
from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import ConfigError

Role = Literal["reference", "baseline"]
"""The gate compares data with the reference; the Evaluator compares models with the baseline."""

REFERENCE_DIRECTORY = ".reference"
"""A directory below the serving directory. Model servers ignore names that are no number."""
PENDING = ".pending"
"""The file in the serving directory that names a version between its copy and the pointer."""
CHANGES = "changes"
"""The key of the pointer file whose value is no part of the record; see changes.py."""


@dataclass(frozen=True)
class ServedRecord:
    """One served model, and the URIs of the artifacts that it was made from.

    Later runs do not read these artifacts: they may be out of reach. Later runs read the copies
    that the Pusher made below the serving directory: the model, its schema and its statistics.
    """

    version: str
    model: str
    evaluation: str
    statistics: str
    schema: str
    label: str
    """The section `label` as JSON. Models of different labels cannot be compared."""
    data_key: str
    """Identifies the data and the gate's rules: equal keys mean equal findings."""
    run_key: str
    """Identifies everything the model depends on: equal keys mean the same training. Its weights
    may differ nevertheless; see same_model.py."""
    files: dict[str, int] = field(default_factory=dict)
    """The size in bytes of each file of the version, by its path below the version. A version with
    other sizes is not whole."""
    exports_key: str = ""
    """Identifies the exports that were pushed with the model; empty without a section `exports`."""
    split: str = ""
    """How the rows were divided, as JSON of a SplitRecord; empty for a model of an earlier
    version of this project."""
    reference: ServedRecord | None = None
    """The served model whose data this model's data was compared with."""
    baseline: ServedRecord | None = None
    """The served model that this model was compared with."""
    directory: str = ""
    """The path of the serving directory for the process that reads the pointer."""

    @property
    def push_key(self) -> str:
        """Identifies the model with its exports: what waits, is withdrawn, or is served already."""
        return make_push_key(self.run_key, self.exports_key)

    @property
    def served_model(self) -> str:
        """The directory of the SavedModel."""
        return os.path.join(self.directory, self.version)

    @property
    def served_schema(self) -> str:
        """The directory of the model's curated schema, laid out as a Schema artifact."""
        return os.path.join(reference_directory(self.directory, self.version), "schema")

    @property
    def served_statistics(self) -> str:
        """The directory of the data's statistics, laid out as an ExampleStatistics artifact."""
        return os.path.join(reference_directory(self.directory, self.version), "statistics")

    def with_directory(self, directory: str) -> ServedRecord:
        """Returns the record, its reference and its baseline with this serving directory."""
        reference = self.reference and self.reference.with_directory(directory)
        baseline = self.baseline and self.baseline.with_directory(directory)
        return dataclasses.replace(
            self, directory=directory, reference=reference, baseline=baseline
        )

    def needed_versions(self) -> set[str]:
        """Returns the versions that a run may still read: this one, its reference, its baseline."""
        others = (self.reference, self.baseline)
        return {self.version, *(other.version for other in others if other)}

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), indent=1, sort_keys=True)

    def without_history(self) -> ServedRecord:
        """Returns the record without reference and baseline.

        A pointer that kept them would grow with every push.
        """
        return dataclasses.replace(self, reference=None, baseline=None)


def reference_directory(serving_directory: str, version: str) -> str:
    """Returns the directory of the schema and statistics that belong to `version`."""
    return os.path.join(serving_directory, REFERENCE_DIRECTORY, version)


def parse_record(text: str, source: str) -> ServedRecord | None:
    """Returns the record in `text`, or None for `{}`, which says that no model is served.

    Args:
      source: the path of the file that holds the text, for the error message.

    Raises:
      ConfigError: the text is not a record.
    """
    try:
        return _from_dict(json.loads(text))
    except (ValueError, TypeError, AttributeError):
        raise ConfigError(
            f"{source}: damaged, it names no served model",
            "put a backup in its place, or remove the file and `promote` a version: what a "
            "rollback withdrew is then no longer on record",
        ) from None


def read_pointer_file(serving_directory: str) -> ServedRecord | None:
    """Returns the record in the pointer file, or None if there is no pointer.

    The version may be incomplete; `read_pointer` checks that.

    Raises:
      ConfigError: the pointer is damaged or cannot be read. Treating this as a first run would push
        the candidate without any comparison.
    """
    path, text = read_pointer_text(serving_directory)
    record = parse_record(text, path)
    return record.with_directory(serving_directory) if record else None


def read_pointer_text(serving_directory: str) -> tuple[str, str]:
    """Returns the path and the text of the pointer file; the text `{}` if there is no pointer.

    Raises:
      ConfigError: the pointer cannot be read.
    """
    path = os.path.join(serving_directory, ArtifactFile.SERVED_RECORD)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return path, file.read()
    except FileNotFoundError:
        return path, "{}"
    except OSError as error:
        raise make_unreadable_error(path, str(error.strerror)) from None


def make_unreadable_error(path: str, reason: str) -> ConfigError:
    """Returns the error for a serving directory that cannot be read."""
    return ConfigError(
        f"serving.directory: {path} cannot be read: {reason}",
        "give the user who runs this the right to read it, or name another serving.directory",
    )


def read_record_artifact(uri: str) -> ServedRecord | None:
    """Returns the record in the ServedModelRecord artifact at `uri`, or None on a first run."""
    path = os.path.join(uri, ArtifactFile.SERVED_RECORD)
    with open(path, encoding="utf-8") as file:
        return parse_record(file.read(), path)


def is_same_model(one: ServedRecord | None, other: ServedRecord | None) -> bool:
    """Returns whether both records name the same version of the same model, or both are None."""
    if one is None or other is None:
        return one is other
    return (one.version, one.model) == (other.version, other.model)


def _from_dict(fields: dict[str, Any] | None) -> ServedRecord | None:
    if not fields:
        return None
    nested = {role: _from_dict(fields.get(role)) for role in ("reference", "baseline")}
    own = {name: value for name, value in fields.items() if name != CHANGES}
    record = ServedRecord(**(own | nested))
    _check_types(record)
    return record


def _check_types(record: ServedRecord) -> None:
    """Raises TypeError if a person wrote another type, such as a number for the version."""
    texts = [getattr(record, f.name) for f in dataclasses.fields(record) if f.type == "str"]
    if not all(isinstance(text, str) for text in texts) or not isinstance(record.files, dict):
        raise TypeError
    if not all(type(size) is int for size in record.files.values()):
        raise TypeError


def resolve_role(served: ServedRecord | None, role: Role, key: str) -> ServedRecord | None:
    """Returns the record that a candidate with `key` is compared with in `role`.

    A new candidate is compared with the served model. In an unchanged second run, `key` shows that
    the candidate's data (for the reference) or the candidate itself (for the baseline) is served
    already. Then the record is the one that the served model was compared with. So no model is
    compared with itself, and the whole run comes from the cache.
    """
    if served is None:
        return None
    if role == "reference":
        return served.reference if served.data_key == key else served.without_history()
    return served.baseline if served.run_key == key else served.without_history()
