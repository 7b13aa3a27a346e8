"""What the stock pipeline is asked to do, as a file of JSON."""

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
    """The validated configuration of ours, as JSON."""
    splits: str
    """The directory of train.csv, eval.csv and test.csv."""
    rows: dict[str, int]
    """The rows of each split: TFX's trainer is told its steps."""
    label_counts: list[int]
    """The training rows of each class: the network's output starts from their shares."""
    directory: str
    """Where artifacts, metadata and the served model go."""

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(dataclasses.asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Job:
        return cls(**json.loads(path.read_text(encoding="utf-8")))
