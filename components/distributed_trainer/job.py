"""What a worker is to do: the executor's input as plain JSON.

TFX's arguments of `run_fn` hold functions and cannot be sent anywhere, so each worker makes them
anew from what they were made of.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.config.imports import quick_imports

Artifacts = Mapping[str, Sequence[Any]]
"""An executor's inputs or outputs: TFX artifacts by key."""


@dataclass(frozen=True)
class Job:
    """The inputs, outputs and execution properties of a Trainer."""

    inputs: Artifacts
    outputs: Artifacts
    properties: Mapping[str, Any]

    def run(self) -> None:
        """Calls `run_fn`."""
        properties = dict(self.properties)
        # Only those who train pay for these imports.
        with quick_imports():
            from tfx.components.trainer.executor import GenericExecutor
            from tfx.components.util import udf_utils

            run_fn = udf_utils.get_fn(properties, "run_fn")
        run_fn(GenericExecutor()._GetFnArgs(self.inputs, self.outputs, properties))

    def key(self) -> str:
        """Short, and the same for executions that would train the same model."""
        uris = sorted(each.uri for artifacts in self.inputs.values() for each in artifacts)
        text = json.dumps([uris, dict(self.properties)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def to_line(self) -> str:
        """The job as a line of JSON."""
        return json.dumps([_to_plain(self.inputs), _to_plain(self.outputs), dict(self.properties)])

    @classmethod
    def from_line(cls, line: str) -> Job:
        """The job that `to_line` wrote."""
        inputs, outputs, properties = json.loads(line)
        return cls(_from_plain(inputs), _from_plain(outputs), properties)


def _to_plain(artifacts: Artifacts) -> dict[str, list[Any]]:
    return {key: [each.to_json_dict() for each in values] for key, values in artifacts.items()}


def _from_plain(plain: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    with quick_imports():
        from tfx.types.artifact import Artifact

    return {
        key: [Artifact.from_json_dict(each) for each in values] for key, values in plain.items()
    }
