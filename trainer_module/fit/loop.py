"""Two training loops: `custom_fit`, written out here, and `keras_fit`, Keras's own.

Both loops take the model's own steps and give the same numbers for the same model, batches and
callbacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import tensorflow as tf
import tf_keras

from pipeline.config.sections.training import Loop


@dataclass(frozen=True)
class EpochPlan:
    """The epochs to train, with their numbers of training and evaluation steps."""

    first_epoch: int
    epochs: int
    """The epoch to stop before, counted from 0 like `first_epoch`."""
    steps: int
    """Training steps of each epoch."""
    evaluation_steps: int
    """Evaluation steps after each epoch."""


class FitLoop(Protocol):
    """A function that trains a model on endless batches and endless evaluation batches."""

    def __call__(
        self,
        model: tf_keras.Model,
        batches: Any,
        evaluation_batches: Any,
        plan: EpochPlan,
        callbacks: Sequence[tf_keras.callbacks.Callback],
    ) -> None: ...


def choose_loop(chosen: Loop, strategy: tf.distribute.Strategy) -> FitLoop:
    """Returns the loop for `training.loop`, for a process that runs the steps itself.

    `auto` is Keras's loop on a TPU and `custom_fit` elsewhere.
    """
    if chosen == "auto":
        chosen = "fit" if isinstance(strategy, tf.distribute.TPUStrategy) else "custom"
    return keras_fit if chosen == "fit" else custom_fit


def keras_fit(
    model: tf_keras.Model,
    batches: Any,
    evaluation_batches: Any,
    plan: EpochPlan,
    callbacks: Sequence[tf_keras.callbacks.Callback],
) -> None:
    """Trains with Keras's `Model.fit`."""
    model.fit(
        batches,
        validation_data=evaluation_batches,
        initial_epoch=plan.first_epoch,
        epochs=plan.epochs,
        steps_per_epoch=plan.steps,
        validation_steps=plan.evaluation_steps,
        callbacks=list(callbacks),
        verbose=0,
    )


def custom_fit(
    model: tf_keras.Model,
    batches: Any,
    evaluation_batches: Any,
    plan: EpochPlan,
    callbacks: Sequence[tf_keras.callbacks.Callback],
) -> None:
    """Trains with the loop of this module.

    Keras sets up each evaluation anew, which on a small table takes several times as long as the
    epoch.
    """
    with model.distribute_strategy.scope():
        _Loop(model, plan, callbacks).run(iter(batches), iter(evaluation_batches))


class _Loop:
    """Runs epochs of training steps, each followed by an evaluation.

    TensorFlow runs `steps_per_execution` steps at a time. Callbacks run between these executions,
    and may end the epoch: an evaluation follows all the same.
    """

    def __init__(
        self,
        model: tf_keras.Model,
        plan: EpochPlan,
        callbacks: Sequence[tf_keras.callbacks.Callback],
    ) -> None:
        self._model = model
        self._plan = plan
        self._callbacks = tf_keras.callbacks.CallbackList(
            list(callbacks), model=model, epochs=plan.epochs, steps=plan.steps, verbose=0
        )
        self._train = self._on_all_replicas(model.train_batch, model._train_counter)
        self._test = self._on_all_replicas(model.test_batch, model._test_counter)
        self._mean_loss = self._once_for_all_replicas(model.mean_loss)
        self._results = self._once_for_all_replicas(model.results)

    def run(self, batches: Iterator[Any], evaluation_batches: Iterator[Any]) -> None:
        self._model.stop_training = False
        self._callbacks.on_train_begin()
        for epoch in range(self._plan.first_epoch, self._plan.epochs):
            self._callbacks.on_epoch_begin(epoch)
            logs = self._train_epoch(batches)
            logs |= {f"val_{k}": v for k, v in self._evaluate(evaluation_batches).items()}
            self._callbacks.on_epoch_end(epoch, logs)
            if self._model.stop_training:
                break
        self._callbacks.on_train_end()

    def _train_epoch(self, batches: Iterator[Any]) -> dict[str, float]:
        """Trains for an epoch; returns the metrics of all its batches.

        Each metric costs a meeting of all workers. So callbacks see nothing but the loss before the
        end of the epoch.
        """
        self._model.reset_metrics()
        for start, stop in self._executions(self._plan.steps):
            self._callbacks.on_train_batch_begin(start)
            self._train(batches, tf.constant(stop - start))
            self._callbacks.on_train_batch_end(stop - 1, {"loss": float(self._mean_loss())})
            if self._model.stop_training:
                break
        return _as_numbers(self._results())

    def _evaluate(self, batches: Iterator[Any]) -> dict[str, float]:
        self._model.reset_metrics()
        self._callbacks.on_test_begin()
        for start, stop in self._executions(self._plan.evaluation_steps):
            self._callbacks.on_test_batch_begin(start)
            self._test(batches, tf.constant(stop - start))
            self._callbacks.on_test_batch_end(stop - 1)
        logs = _as_numbers(self._results())
        self._callbacks.on_test_end(logs)
        return logs

    def _executions(self, steps: int) -> Iterator[tuple[int, int]]:
        """Yields the first step of each execution and the step to stop before.

        A callback may change the number of steps per execution meanwhile.
        """
        start = 0
        while start < steps:
            stop = min(start + int(self._model.steps_per_execution.numpy()), steps)
            yield start, stop
            start = stop

    def _on_all_replicas(
        self, step: Callable[[Any], None], counter: tf.Variable
    ) -> Callable[[Iterator[Any], tf.Tensor], None]:
        """Returns a function that runs several steps, in TensorFlow alone."""
        strategy = self._model.distribute_strategy

        def several_steps(batches: Iterator[Any], count: tf.Tensor) -> None:
            for _ in tf.range(count):
                strategy.run(step, (next(batches),))
                counter.assign_add(1)

        function: Callable[[Iterator[Any], tf.Tensor], None] = tf.function(several_steps)
        return function

    def _once_for_all_replicas(self, reduce: Callable[[], Any]) -> Callable[[], Any]:
        """Returns a function with the result of `reduce`, which is the same on each replica."""
        strategy = self._model.distribute_strategy

        def first_result() -> Any:
            results = strategy.run(reduce)
            return tf.nest.map_structure(
                lambda result: strategy.experimental_local_results(result)[0], results
            )

        function: Callable[[], Any] = tf.function(first_result)
        return function


def _as_numbers(metrics: dict[str, tf.Tensor]) -> dict[str, float]:
    return {name: float(value) for name, value in metrics.items()}
