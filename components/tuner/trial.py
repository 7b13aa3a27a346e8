"""A trial's process: calls the function that trains, and leaves the numbers it gives."""

from __future__ import annotations

import dataclasses
import json
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from components.supervision.worker import work_supervised
from pipeline.core.files import write_text_atomically
from pipeline.core.imports import quick_imports


@dataclass(frozen=True)
class TrialJob:
    """What a trial is to do; its line of JSON goes to the process."""

    function: str
    """The dotted path of the function, called with the other fields but the last."""
    inputs: Mapping[str, Any]
    epochs: int
    values: Mapping[str, Any] = field(default_factory=dict)
    directory: str = ""
    """The trial's own, in which it finds again what an interrupted run of it has left."""
    result: str = ""
    """The file for its numbers."""

    def to_line(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    def run(self) -> dict[str, float]:
        """Calls the function here."""
        with quick_imports():
            function = pkgutil.resolve_name(self.function)
        numbers: dict[str, float] = function(self.inputs, self.values, self.epochs, self.directory)
        return numbers


def run_trial(line: str) -> None:
    """Runs the job on the line."""
    job = TrialJob(**json.loads(line))
    numbers = job.run()
    write_text_atomically(job.result, json.dumps(numbers), durable=False)


if __name__ == "__main__":
    work_supervised(run_trial)
