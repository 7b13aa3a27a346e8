"""Training with parameter servers: what Keras's `fit` needs to be told apart for it.

The chief hands out steps, the workers take them, each on a batch of its own and as fast as it can,
and the servers keep the weights. A step handed out is not yet made, so Keras takes no callbacks for
steps here; and steps of an evaluation, handed out alike, would leave some rows out and see others
twice. So the chief asks the servers how many steps were made, and evaluates by itself.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import tensorflow as tf
import tf_keras

from trainer_module.fit.callbacks.fit_position import Logs
from trainer_module.fit.callbacks.progress import SECONDS_BETWEEN_UPDATES
from trainer_module.fit.loop import EpochPlan
from trainer_module.input.dataset import Start

_EPOCHS_APART = 1 << 32
"""The orders of rows that two workers see: those of epochs that nobody comes to."""


def is_coordinator(strategy: tf.distribute.Strategy) -> bool:
    """Whether this process hands steps out."""
    return isinstance(strategy, tf.distribute.ParameterServerStrategy)


def make_worker_batches(make: Callable[[Start], tf.data.Dataset], first_epoch: Any) -> Any:
    """The input of `fit`: `make` is called for each worker, with a first epoch of its own.

    Each has all rows: how many steps a worker takes, its speed decides.
    """

    def make_dataset(_: tf.distribute.InputContext) -> tf.data.Dataset:
        worker = tf.distribute.coordinator.experimental_get_current_worker_index()
        return make(Start(first_epoch + worker * _EPOCHS_APART))

    return tf_keras.utils.experimental.DatasetCreator(make_dataset)


def coordinated_fit(
    copy: tf_keras.Model,
    model: tf_keras.Model,
    batches: Any,
    evaluation_batches: Any,
    plan: EpochPlan,
    callbacks: Sequence[tf_keras.callbacks.Callback],
) -> None:
    """Trains by Keras's own loop; takes what `keras_fit` takes, and a copy to evaluate with."""

    def evaluate(weights: Any) -> dict[str, float]:
        copy.set_weights(weights)
        logs: dict[str, float] = copy.evaluate(
            evaluation_batches,
            steps=plan.evaluation_steps,
            # As a list of Keras, they stay those of the model that is trained.
            callbacks=tf_keras.callbacks.CallbackList(callbacks),
            verbose=0,
            return_dict=True,
        )
        return logs

    model.fit(
        batches,
        initial_epoch=plan.first_epoch,
        epochs=plan.epochs,
        steps_per_epoch=plan.steps,
        callbacks=[CoordinatorCallbacks(callbacks, evaluate)],
        verbose=0,
    )


class CoordinatorCallbacks(tf_keras.callbacks.Callback):
    """Calls the others as `fit` would where steps are made in this process.

    While an epoch goes on, the number of steps made is asked for, and passed on. At its end it has
    to be the planned one: where a worker was lost, its steps may have been made twice.

    Args:
      callbacks: the others.
      evaluate: evaluates a model of these weights.
    """

    def __init__(
        self,
        callbacks: Sequence[tf_keras.callbacks.Callback],
        evaluate: Callable[[Any], dict[str, float]],
    ) -> None:
        super().__init__()
        self._callbacks = callbacks
        self._evaluate = evaluate
        self._steps_before_epoch = 0
        """The steps made before this epoch."""
        self._epoch_ended = threading.Event()
        self._watcher = threading.Thread()

    def set_params(self, params: dict[str, Any]) -> None:
        super().set_params(params)
        for callback in self._callbacks:
            callback.set_params(params)

    def set_model(self, model: tf_keras.Model) -> None:
        super().set_model(model)
        for callback in self._callbacks:
            callback.set_model(model)

    def on_train_begin(self, logs: Logs | None = None) -> None:
        for callback in self._callbacks:
            callback.on_train_begin(logs)

    def on_train_end(self, logs: Logs | None = None) -> None:
        for callback in self._callbacks:
            callback.on_train_end(logs)

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        for callback in self._callbacks:
            callback.on_epoch_begin(epoch, logs)
        self._steps_before_epoch = self._read_steps()
        self._epoch_ended.clear()
        self._watcher = threading.Thread(target=self._report_steps_until_epoch_ends, daemon=True)
        self._watcher.start()

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self._epoch_ended.set()
        self._watcher.join()
        made, planned = self._read_steps() - self._steps_before_epoch, self.params["steps"]
        if made != planned:
            message = f"{made} steps were made in place of {planned}: a worker was lost"
            raise tf.errors.AbortedError(None, None, message)
        logs = logs if logs is not None else {}
        self._report_steps(made, logs)
        logs |= {f"val_{name}": value for name, value in self._evaluate_weights().items()}
        for callback in self._callbacks:
            callback.on_epoch_end(epoch, logs)

    def _evaluate_weights(self) -> dict[str, float]:
        # A thread of its own is outside of the strategy's scope, in which nothing can be
        # evaluated that is not of the strategy.
        weights = self.model.get_weights()
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(self._evaluate, weights).result()

    def _report_steps_until_epoch_ends(self) -> None:
        """EpochPlan on how many steps were made, until the epoch ends or a server is lost."""
        reported = 0
        with contextlib.suppress(tf.errors.OpError):
            while not self._epoch_ended.wait(SECONDS_BETWEEN_UPDATES):
                made = self._read_steps() - self._steps_before_epoch
                if made > reported:
                    reported = made
                    self._report_steps(made, {})

    def _report_steps(self, made: int, logs: Logs) -> None:
        for callback in self._callbacks:
            callback.on_train_batch_end(made - 1, logs)

    def _read_steps(self) -> int:
        return int(self.model.optimizer.iterations.numpy())
