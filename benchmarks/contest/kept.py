"""The results of a match so far. Each is written as soon as it is there, and survives a kill."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contest.metrics import Answers
from pipeline.core.files import write_text_atomically


@dataclass(frozen=True)
class Result:
    """What one model of a match predicts, or why it predicts nothing."""

    answers: Answers | None
    """The predictions for the test rows; None if the fit failed."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """The `seconds` of the fit; after a search also its trials and the best settings."""
    failure: str = ""
    """Why the fit failed."""


class Kept:
    """A directory with two files for each model: its predictions, and then its facts."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        directory.mkdir(parents=True, exist_ok=True)

    def __contains__(self, name: str) -> bool:
        return self._path(name).exists()

    def put(self, name: str, result: Result) -> None:
        """Writes the result of a model."""
        if result.answers is not None:
            np.save(self._path(name).with_suffix(".npy"), result.answers)
        content = json.dumps({"facts": dict(result.facts), "failure": result.failure})
        # The facts come last: without them, the predictions count as absent.
        write_text_atomically(self._path(name), content, durable=True)

    def read(self) -> dict[str, Result]:
        """Returns the results by model."""
        return {path.stem: self._read(path) for path in sorted(self._directory.glob("*.json"))}

    def _read(self, path: Path) -> Result:
        content = json.loads(path.read_text(encoding="utf-8"))
        answers = None if content["failure"] else np.load(path.with_suffix(".npy"))
        return Result(answers, content["facts"], content["failure"])

    def _path(self, name: str) -> Path:
        return self._directory / f"{name}.json"
