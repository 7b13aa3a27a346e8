"""The arguments of a run of the stock pipeline, as a JSON file."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

EVALUATION_BATCH = 4096


@dataclass(frozen=True)
class Job:
    """One run of the stock pipeline."""

    config: str
    """This project's validated configuration, as JSON."""
    splits: str
    """The directory of train.csv, eval.csv and test.csv."""
    rows: dict[str, int]
    """The rows of each split, from which the steps of TFX's Trainer follow."""
    label_counts: list[int]
    """The training rows of each class: the output bias starts from their shares."""
    directory: str
    """The directory for artifacts, metadata and the served model."""

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(dataclasses.asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Job:
        return cls(**json.loads(path.read_text(encoding="utf-8")))
