"""Measures trainings of DistributedTrainer on the artifacts of a finished pipeline run.

`python -m benchmarks.measuring.fits SPEC`. The fastest epoch of a training counts, because other
load on the machine only slows down. The first epoch never counts: it includes the tracing.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tfx.types import standard_artifacts

from benchmarks.artifacts import find_artifact
from benchmarks.spec import write_answer
from components.distributed_trainer.training_job import TrainingJob
from components.supervision.processes import ProcessLauncher
from components.supervision.supervisor import Policy, supervise
from pipeline.config import Config, TrainingConfig
from pipeline.core.contracts import ArtifactFile, RunFile, Split
from pipeline.core.contracts import CustomConfigKey as Key
from pipeline.core.environment import EVENTS_VARIABLE

_EPOCHS = 4
"""One epoch for tracing, and three to choose the fastest from."""


def measure(spec: dict[str, Any]) -> dict[str, Any]:
    """Returns examples per second by batch size and workers, and the supervisor's CPU seconds.

    The supervisor is measured in a training of about `spec["seconds"]` seconds.
    """
    trainer = _Trainer(
        Config.model_validate_json(spec["config"]), Path(spec["ours"]), Path(spec["directory"])
    )
    fits = {
        (size, workers): trainer.fit(size, workers, _EPOCHS)
        for size in spec["batch_sizes"]
        for workers in spec["workers"]
    }
    size, workers = spec["batch_sizes"][-1], spec["workers"][-1]
    epochs = math.ceil(spec["seconds"] / fits[size, workers].epoch_seconds)
    long = trainer.fit(size, workers, epochs)
    return {
        "examples a second": {
            size: {workers: fits[size, workers].speed for workers in spec["workers"]}
            for size in spec["batch_sizes"]
        },
        "supervisor": {"seconds": long.seconds, "cpu seconds": long.supervisor_seconds},
    }


@dataclass(frozen=True)
class _Fit:
    """The speed and cost of one training."""

    speed: float
    """Examples per second."""
    epoch_seconds: float
    """The wall time of the fastest epoch, with its evaluation and backup."""
    seconds: float
    """The wall time of the training."""
    supervisor_seconds: float
    """The supervisor's CPU seconds."""


class _Trainer:
    """Repeats the Trainer of the pipeline run in `ours` with other settings."""

    def __init__(self, config: Config, ours: Path, directory: Path) -> None:
        self._config = config
        self._ours = ours
        self._directory = directory

    def fit(self, batch_size: int, workers: int, epochs: int) -> _Fit:
        shutil.rmtree(self._directory, ignore_errors=True)
        self._directory.mkdir(parents=True)
        events = self._directory / RunFile.EVENTS
        os.environ[EVENTS_VARIABLE] = str(events)
        training = self._config.training.model_copy(
            update={
                "global_batch_size": batch_size,
                "workers": workers,
                "epochs": epochs,
                "early_stopping_patience": 0,
            }
        )
        started, cpu = time.monotonic(), time.process_time()
        supervise(ProcessLauncher(self._job(training).to_line(), {"worker": workers}), Policy())
        seconds, cpu = time.monotonic() - started, time.process_time() - cpu
        lines = map(json.loads, events.read_text(encoding="utf-8").splitlines())
        ends = [line for line in lines if line.get("eval_loss") is not None][1:]
        history = json.loads(
            (self._directory / f"run/{ArtifactFile.HISTORY}").read_text(encoding="utf-8")
        )
        return _Fit(
            max(end["examples_per_second"] for end in ends),
            min(epoch["seconds"] for epoch in history["epochs"]),
            seconds,
            cpu,
        )

    def _job(self, training: TrainingConfig) -> TrainingJob:
        examples = self._find_input(standard_artifacts.Examples, "transformed_examples")
        examples.split_names = json.dumps([Split.TRAIN, Split.EVAL])
        config = self._config
        custom_config = {
            Key.FEATURES: config.features_json(),
            Key.LABEL: config.label.to_json(),
            Key.MODEL: config.model.to_json(),
            Key.TRAINING: training.to_json(),
            Key.CODE: "benchmark",
            Key.BACKUP_DIRECTORY: str(self._directory / "backup"),
        }
        graph = self._find_input(standard_artifacts.TransformGraph, "transform_graph")
        schema = standard_artifacts.Schema()
        schema.uri = str(find_artifact(self._ours, "SchemaCurator", "schema"))
        return TrainingJob(
            {"examples": [examples], "transform_graph": [graph], "schema": [schema]},
            {
                "model": [self._make_output(standard_artifacts.Model, "model")],
                "model_run": [self._make_output(standard_artifacts.ModelRun, "run")],
            },
            {
                "run_fn": "trainer_module.run.run_fn",
                "train_args": json.dumps({"splits": [Split.TRAIN]}),
                "eval_args": json.dumps({"splits": [Split.EVAL]}),
                "custom_config": json.dumps(custom_config),
            },
        )

    def _find_input(self, kind: type, output: str) -> Any:
        artifact = kind()
        artifact.uri = str(find_artifact(self._ours, "Transform", output))
        return artifact

    def _make_output(self, kind: type, name: str) -> Any:
        artifact = kind()
        artifact.uri = str(self._directory / name)
        return artifact


if __name__ == "__main__":
    write_answer(sys.argv[1], measure)
