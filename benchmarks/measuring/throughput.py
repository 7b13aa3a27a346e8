"""Measures examples per second of the same network with three feeds.

The feeds are: TFX's templates, this project's input pipeline, and one batch held in memory, which
is the limit. `python -m benchmarks.measuring.throughput SPEC`. The three fits alternate.

The last epoch of a fit counts: during the tracing in the first epoch, the feeds fill buffers that
speed the second epoch up. The fastest of several rounds counts, because other load on the machine
only slows down.
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import tensorflow as tf
import tensorflow_transform as tft
import tf_keras
from tfx.components.util import tfxio_utils
from tfx.types import standard_artifacts

from benchmarks.artifacts import find_artifact
from benchmarks.spec import write_answer
from benchmarks.stock.trainer import compile_as_templates, read_batches
from pipeline.config import Config, TrainingConfig
from pipeline.core.contracts import Split
from trainer_module.fit.distributed_data import DistributedData
from trainer_module.fit.training import compile_model
from trainer_module.heads import make_head
from trainer_module.input.dataset import Start
from trainer_module.input.examples import Examples, open_examples
from trainer_module.models import build_model

_EPOCHS = 3


def measure(spec: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Returns by global batch size: examples per second of each feed, and their ratios."""
    config = Config.model_validate_json(spec["config"])
    measured = {}
    for batch_size in spec["batch_sizes"]:
        # The Trainer itself chooses 32 steps per execution for steps as short as these.
        update = {"global_batch_size": batch_size, "steps_per_execution": 32}
        training = config.training.model_copy(update=update)
        contest = _Contest(
            config, training, Path(spec["stock"]), Path(spec["ours"]), spec["examples"]
        )
        measured[str(batch_size)] = contest.hold(spec["rounds"])
    return measured


class _Contest:
    """Fits the same network with each of the three feeds."""

    def __init__(
        self, config: Config, training: TrainingConfig, stock: Path, ours: Path, examples: int
    ) -> None:
        transform_output = tft.TFTransformOutput(
            str(find_artifact(ours, "Transform", "transform_graph"))
        )
        train, evaluation = _open_splits(ours, transform_output)
        head = make_head(config.label, train.labels)
        features = dict(sorted(config.features.items()))
        build = partial(build_model, features, transform_output, head, config.model)
        data = DistributedData(train, evaluation, training, tf.distribute.get_strategy())
        size = data.batching.global_batch_size
        self._steps = examples // size
        batch = next(iter(data.training_batches(Start())))
        self._feeds = {
            "stock": lambda: _stock_batches(stock, size),
            "ours": lambda: data.training_batches(Start()),
            "memory": lambda: tf.data.Dataset.from_tensors(batch).repeat(),
        }
        self._models = {
            "stock": compile_as_templates(build(), head, training.learning_rate),
            "ours": compile_model(build(), head, training, data.batching),
            "memory": compile_model(build(), head, training, data.batching),
        }
        self._examples_a_step = size

    def hold(self, rounds: int) -> dict[str, float]:
        seconds: dict[str, list[float]] = {name: [] for name in self._models}
        for _ in range(rounds):
            for name, model in self._models.items():
                seconds[name].append(_last_epoch(model, self._feeds[name](), self._steps))
        speeds = {
            name: self._steps * self._examples_a_step / min(found)
            for name, found in seconds.items()
        }
        return {
            **speeds,
            "ours/stock": speeds["ours"] / speeds["stock"],
            "ours/memory": speeds["ours"] / speeds["memory"],
        }


def _open_splits(ours: Path, transform_output: tft.TFTransformOutput) -> list[Examples]:
    spec = transform_output.transformed_feature_spec()
    directory = find_artifact(ours, "Transform", "transformed_examples")
    files = [[f"{directory}/{Split.PREFIX}{split}/*"] for split in (Split.TRAIN, Split.EVAL)]
    return [open_examples(patterns, spec) for patterns in files]


def _last_epoch(model: tf_keras.Model, feed: tf.data.Dataset, steps: int) -> float:
    """Returns the seconds of the last epoch of a fit."""
    clock = _Clock()
    model.fit(feed, steps_per_epoch=steps, epochs=_EPOCHS, callbacks=[clock], verbose=0)
    return clock.seconds[-1]


class _Clock(tf_keras.callbacks.Callback):
    """Measures the seconds of each epoch."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []
        self._start = 0.0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._start = time.monotonic()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.seconds.append(time.monotonic() - self._start)


def _stock_batches(stock: Path, batch_size: int) -> Any:
    """Returns the batches that `benchmarks.stock.trainer` reads in TFX's Trainer."""
    artifact = standard_artifacts.Examples()
    directory = find_artifact(stock, "Transform", "transformed_examples")
    artifact.uri, artifact.split_names = str(directory), json.dumps([Split.TRAIN])
    factory = tfxio_utils.get_tf_dataset_factory_from_artifact([artifact], ["benchmarks"])
    arguments = SimpleNamespace(data_accessor=SimpleNamespace(tf_dataset_factory=factory))
    graph = find_artifact(stock, "Transform", "transform_graph")
    files = [f"{directory}/Split-train/*"]
    return read_batches(arguments, files, tft.TFTransformOutput(str(graph)), batch_size)


if __name__ == "__main__":
    write_answer(sys.argv[1], measure)
