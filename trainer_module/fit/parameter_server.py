"""Training with parameter servers, by Keras's `fit` and with callbacks that work there.

The chief schedules steps asynchronously; each worker runs a step on its own batch, and the servers
keep the weights. Keras calls no callbacks for single steps here, since a scheduled step is not yet
done. Scheduled evaluation steps would leave out some rows and see other rows twice. So the chief
reads the number of finished steps from the servers, and evaluates by itself.
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
"""Distance of the workers' first epochs: more than any training has, so that no two workers see the
rows in the same order."""


def is_coordinator(strategy: tf.distribute.Strategy) -> bool:
    """Whether this process schedules the steps of a parameter server training."""
    return isinstance(strategy, tf.distribute.ParameterServerStrategy)


def make_worker_batches(make: Callable[[Start], tf.data.Dataset], first_epoch: Any) -> Any:
    """Returns the input of Keras's `fit`: each worker makes its own dataset.

    `make` is called on each worker with another first epoch, so that the workers' orders of rows
    differ. Each worker has all rows, since its speed decides how many steps it runs.
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
    """Trains with Keras's `fit` as the coordinator of parameter server training.

    `copy` is a copy of the model outside of the strategy, for evaluation in this process. The other
    arguments are those of `keras_fit`.
    """

    def evaluate(weights: Any) -> dict[str, float]:
        copy.set_weights(weights)
        logs: dict[str, float] = copy.evaluate(
            evaluation_batches,
            steps=plan.evaluation_steps,
            # In a CallbackList, the callbacks keep the trained model as their model.
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
    """Calls callbacks as `fit` would if this process ran the steps.

    During an epoch, a thread reads the number of finished steps and reports it to the callbacks. At
    the end of the epoch the number has to be the planned one: after the loss of a worker, its steps
    may have run twice.

    Args:
      callbacks: the callbacks to call.
      evaluate: returns the metrics of the model with the given weights.
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
        """Steps finished before this epoch."""
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
            message = f"{made} steps ran instead of {planned}: a worker was lost"
            raise tf.errors.AbortedError(None, None, message)
        logs = logs if logs is not None else {}
        self._report_steps(made, logs)
        logs |= {f"val_{name}": value for name, value in self._evaluate_weights().items()}
        for callback in self._callbacks:
            callback.on_epoch_end(epoch, logs)

    def _evaluate_weights(self) -> dict[str, float]:
        # Within the strategy's scope, a model outside of the strategy cannot be evaluated. A new
        # thread is outside of the scope.
        weights = self.model.get_weights()
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(self._evaluate, weights).result()

    def _report_steps_until_epoch_ends(self) -> None:
        """Reports the number of finished steps until the epoch ends or a server is lost."""
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
