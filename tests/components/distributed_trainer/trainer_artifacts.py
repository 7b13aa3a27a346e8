"""A Trainer's job whose artifacts lie in one directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tfx.types import standard_artifacts

from components.distributed_trainer.training_job import TrainingJob


def make_job(directory: Path, **properties: Any) -> TrainingJob:
    examples, model = standard_artifacts.Examples(), standard_artifacts.Model()
    model_run = standard_artifacts.ModelRun()
    examples.uri, examples.split_names = str(directory / "examples"), '["train", "eval"]'
    model.uri, model_run.uri = str(directory / "model"), str(directory / "run")
    return TrainingJob(
        {"examples": [examples]},
        {"model": [model], "model_run": [model_run]},
        {"train_args": "{}", "eval_args": "{}", **properties},
    )
