"""What came of a search: a table of its trials, and the best values."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

RESULTS_FILE = "tuner_results.json"
BEST_FILE = "best_hyperparameters.txt"
"""As TFX's own Tuner calls them."""


@dataclass(frozen=True)
class TrialResult:
    """One trial, as a row of the table."""

    trial: str
    values: Mapping[str, Any]
    status: str = ""
    """running, done, failed, or lost with its process, until it is taken up again."""
    objective: float | None = None
    """The measure at the epoch with the lowest evaluation loss, whose weights training keeps."""
    measures: Mapping[str, float] = field(default_factory=dict)
    """All measures at that epoch; the epochs and steps that were trained."""
    seconds: float = 0.0
    """Of all its runs, from the start of the process on."""
    runs: int = 0
    """More than one where its process was lost, or the whole search."""
    message: str = ""
    """Why it failed, or why it was lost the last time."""


@dataclass(frozen=True)
class SearchResults:
    """The trials in the order of their start."""

    objective: str
    """The measure, such as eval_loss."""
    trials: tuple[TrialResult, ...]
    best: str
    """The best trial."""
    search: str
    """The name of its directory among the backups."""

    @property
    def best_values(self) -> Mapping[str, Any]:
        return next(trial.values for trial in self.trials if trial.trial == self.best)

    def best_to_json(self) -> str:
        return json.dumps(self.best_values, indent=1)

    def to_json(self) -> str:
        content = dataclasses.asdict(self) | {"best_values": self.best_values}
        return json.dumps(content, indent=1)


def read_results(directory: str) -> dict[str, Any]:
    """The table that was written to the `tuner_results` artifact."""
    with open(os.path.join(directory, RESULTS_FILE), encoding="utf-8") as file:
        results: dict[str, Any] = json.load(file)
    return results
