"""The arguments of a Trainer, and the JSON line that workers get."""

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
class TrainingJob:
    """The inputs, outputs and execution properties of a Trainer."""

    inputs: Artifacts
    outputs: Artifacts
    properties: Mapping[str, Any]

    def compute_key(self) -> str:
        """Returns eight hex digits, equal for two executions that train the same model.

        The key depends on the inputs' URIs and the execution properties, not on the outputs.
        """
        uris = sorted(each.uri for artifacts in self.inputs.values() for each in artifacts)
        text = json.dumps([uris, dict(self.properties)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def to_line(self) -> str:
        """Returns a line of JSON for a worker: the path of `run_fn`, and its arguments.

        TFX computes the arguments here, in the Trainer. A worker that imported TFX would take twice
        as long to start. The line lacks `data_accessor`, which holds functions.
        """
        arguments = GenericExecutor()._GetFnArgs(self.inputs, self.outputs, dict(self.properties))
        fields = {k: v for k, v in vars(arguments).items() if k != "data_accessor"}
        return json.dumps([self.properties["run_fn"], fields])
