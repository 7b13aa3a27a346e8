"""The main module of a trial's process: trains one model and writes its measures to a file."""

from __future__ import annotations

import dataclasses
import json
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from components.supervision.worker import run_supervised
from pipeline.core.files import write_text_atomically
from pipeline.core.imports import quick_imports


@dataclass(frozen=True)
class TrialJob:
    """The arguments of one trial. The process gets them as a line of JSON."""

    function: str
    """The dotted path of the function that trains: `(inputs, values, epochs, directory)`."""
    inputs: Mapping[str, Any]
    """What all trials have in common: files, graph and configuration sections."""
    epochs: int
    values: Mapping[str, Any] = field(default_factory=dict)
    """The trial's values by configuration key."""
    directory: str = ""
    """The trial's own directory, where a second run finds the backups of an interrupted run."""
    result: str = ""
    """The file to which the process writes the measures."""

    def to_line(self) -> str:
        """Returns the line of JSON for the process."""
        return json.dumps(dataclasses.asdict(self))

    def run(self) -> dict[str, float]:
        """Calls the function in this process, and returns its measures by name."""
        with quick_imports():
            function = pkgutil.resolve_name(self.function)
        measures: dict[str, float] = function(self.inputs, self.values, self.epochs, self.directory)
        return measures


def run_trial(line: str) -> None:
    """Runs the trial of a `TrialJob` line, and writes the measures to the job's `result` file."""
    job = TrialJob(**json.loads(line))
    write_text_atomically(job.result, json.dumps(job.run()), durable=False)


if __name__ == "__main__":
    run_supervised(run_trial)
