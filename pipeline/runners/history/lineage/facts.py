"""What a person wants to know of an execution and of an artifact, from their properties."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from components.served_model.served_record import read_record_artifact
from pipeline.config.sections.families.names import TREES
from pipeline.core.contracts import Node, Property
from pipeline.core.errors import PipelineError
from pipeline.core.text import shorten
from pipeline.runners.history.graph import Artifact, Execution

_LONGEST = 80
"""Characters of one fact."""
_TRAINING = {
    "family": "custom_config.model.family",
    "epochs": "custom_config.training.epochs",
    "batch": "custom_config.training.global_batch_size",
    "learning rate": "custom_config.training.learning_rate",
    "strategy": "custom_config.training.strategy",
    "seed": "custom_config.training.seed",
    "code": "custom_config.code",
}
_TREES = {
    "family": _TRAINING["family"],
    "iterations": "custom_config.model.trees.iterations",
    "learning rate": "custom_config.model.trees.learning_rate",
    "seed": _TRAINING["seed"],
    "code": _TRAINING["code"],
}
_COLUMNAR = "custom_config.custom_config.value"
_FACTS: Mapping[str, Mapping[str, str]] = {
    Node.EXAMPLE_GEN: {
        "split by": f"{_COLUMNAR}.data.split.by",
        "split seed": f"{_COLUMNAR}.data.split.seed",
    },
    Node.SCHEMA_CURATOR: {"reference": "rules.reference"},
    Node.TRANSFORM: {"code": "custom_config.code"},
    Node.TUNER: _TRAINING,
    Node.TRAINER: _TRAINING,
    Node.EVALUATOR: {"split": "example_splits.0"},
}
"""The facts of each component, by their names, with their places among the properties."""


@dataclass(frozen=True)
class DataSource:
    """The table that an ExampleGen read."""

    files: tuple[str, ...]
    """Paths and patterns as configured, relative to the directory of the command; empty for a
    query."""
    query: str | None
    fingerprint: str | None
    """The hash of the content of all files, or of the answer of the query."""


def describe_execution(execution: Execution) -> dict[str, str]:
    """Returns the settings of the execution that decide most about its outputs, by their names."""
    places = _FACTS.get(execution.component, {})
    if places is _TRAINING and _dig(execution.properties, _TRAINING["family"]) == TREES:
        places = _TREES
    found = {name: _dig(execution.properties, place) for name, place in places.items()}
    return {n: shorten(str(value), _LONGEST) for n, value in found.items() if value is not None}


def describe_artifact(artifact: Artifact, directory: Path | None) -> dict[str, str]:
    """Returns the facts that the artifact's component noted, by their names.

    `directory` holds the artifact's files, if they still exist.
    """
    get = artifact.properties.get
    facts = {
        "rows": _describe_rows(get(Property.ROWS)),
        "version": get(Property.PUSHED_VERSION),
        "blessed": _yes_or_no(get(Property.BLESSED)) if artifact.type == "ModelBlessing" else None,
        "pushed": None if get(Property.PUSHED_VERSION) else _yes_or_no(get(Property.PUSHED)),
        "compares with": _read_version(artifact, directory),
        "note": get(Property.NOTE),
    }
    return {name: shorten(str(value), _LONGEST) for name, value in facts.items() if value}


def read_source(execution: Execution, fingerprint: Any) -> DataSource | None:
    """Returns the table that the execution read; None for another component than ExampleGen."""
    if execution.component != Node.EXAMPLE_GEN:
        return None
    files = _dig(execution.properties, f"{_COLUMNAR}.data.path")
    query = None
    if files is None:
        # TFX's own ExampleGens: a directory with a pattern, or the query as the pattern.
        pattern = _dig(execution.properties, "input_config.splits.0.pattern")
        base = _dig(execution.properties, "input_base")
        files = [f"{base}/{pattern}"] if base else []
        query = None if base else pattern
    return DataSource(tuple(map(str, files)), query, str(fingerprint) if fingerprint else None)


def _dig(value: Any, place: str) -> Any:
    """Returns the value at a place such as `data.split.by`, also within texts that are JSON."""
    for key in place.split("."):
        value = _parse(value)
        if isinstance(value, list):
            value = dict(enumerate(value)).get(int(key) if key.isdigit() else -1)
        else:
            value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _parse(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return None


def _describe_rows(rows: Any) -> str | None:
    counts = _parse(rows)
    if not isinstance(counts, Mapping):
        return None
    return ", ".join(f"{count:,} {split}" for split, count in counts.items())


def _yes_or_no(flag: Any) -> str | None:
    return None if flag is None else "yes" if flag else "no"


def _read_version(artifact: Artifact, directory: Path | None) -> str | None:
    """Returns the version that a ServedModelRecord names; `nothing` on a first run."""
    if artifact.type != "ServedModelRecord" or directory is None:
        return None
    try:
        record = read_record_artifact(str(directory))
    except (OSError, PipelineError):
        return None
    return f"version {record.version}" if record else "nothing"
