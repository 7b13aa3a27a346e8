"""What the workers are to do: a Trainer's work, and what they get of it as plain JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfx.components.trainer.executor import GenericExecutor

Artifacts = Mapping[str, Sequence[Any]]
"""An executor's inputs or outputs: TFX artifacts by key."""


@dataclass(frozen=True)
class Job:
    """The inputs, outputs and execution properties of a Trainer."""

    inputs: Artifacts
    outputs: Artifacts
    properties: Mapping[str, Any]

    def key(self) -> str:
        """Short, and the same for executions that would train the same model."""
        uris = sorted(each.uri for artifacts in self.inputs.values() for each in artifacts)
        text = json.dumps([uris, dict(self.properties)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def to_line(self) -> str:
        """For a worker, as a line of JSON: where `run_fn` is, and its arguments.

        Made here, where TFX is loaded: a worker that had to load it would take twice as long to
        start. Of the arguments TFX makes, only the functions that read Examples cannot be sent.
        """
        arguments = GenericExecutor()._GetFnArgs(self.inputs, self.outputs, dict(self.properties))
        fields = {k: v for k, v in vars(arguments).items() if k != "data_accessor"}
        return json.dumps([self.properties["run_fn"], fields])
