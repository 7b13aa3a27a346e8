"""Trains with DistributedTrainer on the artifacts of a finished pipeline run.

Each worker has a core of its own. The fastest epoch of a training counts, because other load on the
machine only slows down. The first epoch never counts: it includes the tracing.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorflow as tf
from tfx.types import standard_artifacts
from tfx.utils import path_utils

from benchmarks.artifacts import find_artifact
from benchmarks.scaling.link import VARIABLE
from components.distributed_trainer.training_job import TrainingJob
from components.supervision.processes import WORKER_COMMAND, ProcessLauncher
from components.supervision.supervisor import Policy, supervise
from pipeline.config import Config, TrainingConfig
from pipeline.config.sections.training import PrivateNetworkChoice
from pipeline.core.contracts import ArtifactFile, RunFile, Split
from pipeline.core.contracts import CustomConfigKey as Key
from pipeline.core.environment import EVENTS_VARIABLE

_PINNED = (sys.executable, "-m", "benchmarks.scaling.pinned")


@dataclass(frozen=True)
class Fit:
    """The speed and cost of one training."""

    speed: float
    """Examples per second."""
    epoch_seconds: float
    """The wall time of the fastest epoch, with its evaluation and backup."""
    seconds: float
    """The wall time of the training."""
    supervisor_seconds: float
    """The supervisor's CPU seconds."""


class Trainer:
    """Repeats the Trainer of the pipeline run in `run` with other settings."""

    def __init__(self, config: Config, run: Path, directory: Path) -> None:
        self._config = config
        self._pipeline_run = run
        self._directory = directory

    def fit(self, batch_size: int, workers: int, epochs: int) -> Fit:
        """Trains, and returns how fast."""
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
        self._run(self._job(training).to_line(), workers, WORKER_COMMAND)
        seconds, cpu = time.monotonic() - started, time.process_time() - cpu
        lines = map(json.loads, events.read_text(encoding="utf-8").splitlines())
        ends = [line for line in lines if line.get("eval_loss") is not None][1:]
        history = json.loads(
            (self._directory / f"run/{ArtifactFile.HISTORY}").read_text(encoding="utf-8")
        )
        return Fit(
            max(end["examples_per_second"] for end in ends),
            min(epoch["seconds"] for epoch in history["epochs"]),
            seconds,
            cpu,
        )

    def count_weights(self) -> int:
        """Returns the number of weights of the model that was fitted last."""
        model = path_utils.serving_model_dir(str(self._directory / "model"))
        shapes = tf.train.load_checkpoint(f"{model}/variables/variables")
        sizes = shapes.get_variable_to_shape_map()
        return sum(math.prod(shape) for name, shape in sizes.items() if "VARIABLE" in name)

    def measure_exchange(self, floats: int, workers: int) -> float:
        """Returns the milliseconds in which the workers add `floats` numbers."""
        answer = self._directory / "exchange.json"
        job = json.dumps({"floats": floats, "answer": str(answer)})
        self._run(job, workers, (sys.executable, "-m", "benchmarks.scaling.exchange"))
        return float(answer.read_text(encoding="utf-8"))

    def _run(self, job: str, workers: int, command: Sequence[str]) -> None:
        # On the link, the workers have a network already.
        network: PrivateNetworkChoice | None = None if VARIABLE in os.environ else "auto"
        launcher = ProcessLauncher(job, {"worker": workers}, (*_PINNED, *command), network)
        supervise(launcher, Policy())

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
        schema.uri = str(find_artifact(self._pipeline_run, "SchemaCurator", "schema"))
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
        artifact.uri = str(find_artifact(self._pipeline_run, "Transform", output))
        return artifact

    def _make_output(self, kind: type, name: str) -> Any:
        artifact = kind()
        artifact.uri = str(self._directory / name)
        return artifact
