"""Candidates that wait for `promote`, where `serving.mode` is manual.

They lie in `.waiting/NUMBER` below the serving directory. TensorFlow Serving and KServe load the
highest number that lies in the serving directory itself, so no server finds them.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, replace

from components.served_model.served_record import ServedRecord, parse_record, read_pointer_file
from pipeline.core.errors import ConfigError

WAITING_DIRECTORY = ".waiting"
CANDIDATE_FILE = "candidate.json"
MODEL, SCHEMA, STATISTICS = "model", "schema", "statistics"
"""The directories of a candidate, named as the Pusher's inputs."""


@dataclass(frozen=True)
class Candidate:
    """A blessed model that waits, with what `promote` needs to push it as the Pusher would."""

    record: ServedRecord
    """The record that it will be served with; its version is the number under which it waits."""
    since: str
    """ISO 8601 in UTC."""
    run: str
    """The id of the run that made it, as TFX names it; empty if unknown."""
    keep_versions: int
    """The run's `serving.keep_versions`."""
    pipeline: str
    """The name of the pipeline."""
    directory: str = ""
    """The place of the candidate for the process that reads it."""

    @property
    def number(self) -> str:
        """The number under which it waits."""
        return self.record.version

    def place(self, name: str) -> str:
        """Returns the directory of the model, the schema or the statistics."""
        return os.path.join(self.directory, name)

    def to_json(self) -> str:
        """Returns the content of its file."""
        content = asdict(replace(self, record=self.record.with_directory(""), directory=""))
        return json.dumps(content, indent=1, sort_keys=True)


def waiting_directory(serving_directory: str, number: str = "") -> str:
    """Returns the directory of a candidate, or of all candidates."""
    return os.path.join(serving_directory, WAITING_DIRECTORY, number).rstrip("/")


def find_waiting(destination: str) -> str | None:
    """Returns where a candidate waits that `promote` would push to `destination`, if it waits."""
    serving, number = os.path.split(destination)
    place = waiting_directory(serving, number)
    is_pushed = os.path.isdir(destination)
    return place if not is_pushed and os.path.isfile(os.path.join(place, CANDIDATE_FILE)) else None


def list_waiting(serving_directory: str) -> list[Candidate]:
    """Returns the candidates that wait, the oldest one first.

    A candidate that is served already does not wait: a killed `promote` did not remove it.

    Raises:
      ConfigError: a candidate's file or the pointer is damaged or cannot be read.
    """
    served = read_pointer_file(serving_directory)
    candidates = (read_candidate(serving_directory, n) for n in list_numbers(serving_directory))
    return [c for c in candidates if not served or c.record.run_key != served.run_key]


def list_numbers(serving_directory: str) -> list[str]:
    """Returns the names in the directory of candidates, the lowest number first."""
    try:
        names = os.listdir(waiting_directory(serving_directory))
    except FileNotFoundError:
        return []
    return sorted((name for name in names if name.isdigit()), key=int)


def read_candidate(serving_directory: str, number: str) -> Candidate:
    """Returns the candidate that waits under a number.

    Raises:
      ConfigError: its file is damaged or cannot be read.
    """
    directory = waiting_directory(serving_directory, number)
    path = os.path.join(directory, CANDIDATE_FILE)
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        record = parse_record(json.dumps(content["record"]), path)
        if record is None:
            raise ValueError("it has no record")
        found = record.with_directory(serving_directory)
        return Candidate(**(content | {"record": found, "directory": directory}))
    except (OSError, ValueError, TypeError, KeyError, ConfigError) as error:
        raise ConfigError(
            f"{path}: no candidate can be read from it: {error}",
            f"remove {directory}; the next run makes the candidate again",
        ) from None
