"""Fits the model: optimizer, early stopping with the best weights, progress, backup, history."""

from __future__ import annotations

import contextlib
import json
import math
import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

import tensorflow as tf
import tf_keras

from pipeline.config import PipelineError, TrainingConfig
from pipeline.config.events import emit
from trainer_module.backup import Backup, FitState
from trainer_module.feeds import Feeds
from trainer_module.heads import Head
from trainer_module.progress import Logs, ProgressEvents, steps_of_worker
from trainer_module.step import Trainee

HISTORY_FILE = "history.json"

_MOST_STEPS_PER_EXECUTION = 32
_WEIGHT_DECAY = 1e-2


def compile_model(
    network: tf_keras.Model, head: Head, config: TrainingConfig, steps_per_epoch: int
) -> tf_keras.Model:
    """The network with optimizer, loss and metrics; to be called in the strategy's scope."""
    _leave_keras_unconverted()
    model = Trainee(network, head, config.micro_batch_size, config.jit_compile)
    model.compile(
        optimizer=_optimizer(config),
        loss=head.loss,
        metrics=head.metrics(),
        # Python takes part once in so many steps: saves its overhead, yet progress stays visible.
        steps_per_execution=min(steps_per_epoch, _MOST_STEPS_PER_EXECUTION),
    )
    # Keras would add up over the workers what is the same on all of them.
    model.distribute_reduction_method = "first"
    return model


def fit(
    model: tf_keras.Model, feeds: Feeds, backup: Backup, config: TrainingConfig, directory: str
) -> None:
    """Trains from where the backup stands, and leaves the model with the best weights.

    TensorBoard's files go to `directory`.

    Raises:
      PipelineError: if the loss becomes NaN or infinite.
    """
    backup.restore()
    state = backup.state
    if state.epochs and feeds.replicas.is_chief:
        emit("resumed", component="Trainer", epoch=len(state.epochs))
    if not state.is_over(config.epochs, config.early_stopping_patience):
        callbacks = [_StopIfDiverged(config), _EpochEnd(backup, config)]
        model.fit(
            feeds.training_batches(first_epoch=len(state.epochs)),
            validation_data=feeds.evaluation_batches(),
            initial_epoch=len(state.epochs),
            epochs=config.epochs,
            steps_per_epoch=feeds.batching.steps,
            validation_steps=feeds.evaluation_batching.steps,
            callbacks=[*callbacks, *steps_of_worker(), *_watchers(feeds, directory)],
            verbose=0,
        )
    if not state.best_weights:
        raise _diverged(config, "the evaluation loss is not a number in any epoch")
    model.set_weights(state.best_weights)


def _watchers(feeds: Feeds, directory: str) -> list[tf_keras.callbacks.Callback]:
    """Progress events and TensorBoard's files come from one process."""
    if not feeds.replicas.is_chief:
        return []
    board = tf_keras.callbacks.TensorBoard(directory, write_graph=False, profile_batch=0)
    return [ProgressEvents(feeds.batching.steps, feeds.batching.global_batch_size), board]


def write_history(directory: str, state: FitState, facts: Mapping[str, Any]) -> None:
    """Writes what the fit did for the run's report: `history.json`, whole or not at all."""
    history = {**facts, "best_epoch": (state.best_epoch or 0) + 1, "epochs": state.epochs}
    tf.io.gfile.makedirs(directory)
    path = os.path.join(directory, HISTORY_FILE)
    with tf.io.gfile.GFile(f"{path}.part", "w") as file:
        file.write(json.dumps(history, indent=1))
    tf.io.gfile.rename(f"{path}.part", path, overwrite=True)


class _EpochEnd(tf_keras.callbacks.Callback):
    """Records the epoch, backs it up, and ends the fit when nothing more is to be gained."""

    def __init__(self, backup: Backup, config: TrainingConfig) -> None:
        super().__init__()
        self._backup = backup
        self._config = config
        self._start = 0.0

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self._start = time.monotonic()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        values = {k.replace("val_", "eval_", 1): float(v) for k, v in (logs or {}).items()}
        values["steps"] = int(self.model.optimizer.iterations.numpy())
        values["seconds"] = round(time.monotonic() - self._start, 3)
        self._backup.state.record(values, self.model)
        self._backup.save()
        config = self._config
        if self._backup.state.is_over(config.epochs, config.early_stopping_patience):
            self.model.stop_training = True


class _StopIfDiverged(tf_keras.callbacks.Callback):
    """Ends the run at once: from a loss that is not a number nothing recovers."""

    def __init__(self, config: TrainingConfig) -> None:
        super().__init__()
        self._config = config
        self._epoch = 0

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self._epoch = epoch + 1

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        loss = (logs or {}).get("loss", 0.0)
        if not math.isfinite(loss):
            place = f"epoch {self._epoch}, by step {batch + 1}"
            raise _diverged(self._config, f"the loss is {loss} in {place}")


def _diverged(config: TrainingConfig, what: str) -> PipelineError:
    return PipelineError(
        f"training diverged: {what}",
        f"lower training.learning_rate, now {config.learning_rate:g}",
    )


@contextlib.contextmanager
def precision(policy: str) -> Iterator[None]:
    """Layers made within compute in this type; those of the exported copy do not."""
    previous = tf_keras.mixed_precision.global_policy()
    tf_keras.mixed_precision.set_global_policy(policy)
    try:
        yield
    finally:
        tf_keras.mixed_precision.set_global_policy(previous)


def _optimizer(config: TrainingConfig) -> Any:
    if config.optimizer == "adamw":
        return tf_keras.optimizers.AdamW(config.learning_rate, weight_decay=_WEIGHT_DECAY)
    if config.optimizer == "sgd":
        return tf_keras.optimizers.SGD(config.learning_rate, momentum=0.9)
    return tf_keras.optimizers.Adam(config.learning_rate)


def _leave_keras_unconverted() -> None:
    """Keeps autograph from rewriting Keras itself, which costs ten seconds on TensorFlow 2.16.

    The function that Keras hands to TensorFlow is converted all the same, and nothing it calls
    needs to be. Newer versions do so by themselves.
    """
    try:
        from tensorflow.python.autograph.core import config as autograph
    except ImportError:
        # Not part of TensorFlow's public interface: without it, fitting only starts later.
        return
    rule = autograph.DoNotConvert("tf_keras")
    if str(rule) not in map(str, autograph.CONVERSION_RULES):
        autograph.CONVERSION_RULES = (rule, *autograph.CONVERSION_RULES)
