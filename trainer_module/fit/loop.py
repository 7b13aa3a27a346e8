"""The training loop: one in the open, and Keras's.

Both make the same of a model, its batches and its callbacks, with the same numbers: they call the
model's `train_step`, in which the metrics are reduced over all replicas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import tensorflow as tf
import tf_keras

from pipeline.config.sections.training import Loop

StepFunction = Callable[[Any], dict[str, tf.Tensor]]


@dataclass(frozen=True)
class EpochPlan:
    """The epochs to train, each so many steps long, and the steps that evaluate it."""

    first_epoch: int
    epochs: int
    """The epoch to stop before; counted from 0, like the first."""
    steps: int
    evaluation_steps: int


class FitLoop(Protocol):
    """What trains a model, with batches and evaluation batches without end."""

    def __call__(
        self,
        model: tf_keras.Model,
        batches: Any,
        evaluation_batches: Any,
        plan: EpochPlan,
        callbacks: Sequence[tf_keras.callbacks.Callback],
    ) -> None: ...


def choose_loop(chosen: Loop, strategy: tf.distribute.Strategy) -> FitLoop:
    """The loop of the configuration, where this process makes the steps itself."""
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
    """Trains by Keras's own loop."""
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
    """Trains by the loop below.

    Keras makes everything anew that an evaluation needs, each time; on a small table, that takes
    several times as long as the epoch.
    """
    with model.distribute_strategy.scope():
        _Loop(model, plan, callbacks).run(iter(batches), iter(evaluation_batches))


class _Loop:
    """Epochs of steps, each followed by an evaluation.

    The steps run in TensorFlow, as many at a time as `steps_per_execution` says; the callbacks
    run between them.
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
        self._train = self._on_all_replicas(model.train_step, model._train_counter)
        self._test = self._on_all_replicas(model.test_step, model._test_counter)

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
        self._model.reset_metrics()
        logs: dict[str, float] = {}
        for start, stop in self._executions(self._plan.steps):
            self._callbacks.on_train_batch_begin(start)
            logs = _as_numbers(self._train(batches, tf.constant(stop - start)))
            self._callbacks.on_train_batch_end(stop - 1, logs)
        return logs

    def _evaluate(self, batches: Iterator[Any]) -> dict[str, float]:
        self._model.reset_metrics()
        logs: dict[str, float] = {}
        self._callbacks.on_test_begin()
        for start, stop in self._executions(self._plan.evaluation_steps):
            self._callbacks.on_test_batch_begin(start)
            logs = _as_numbers(self._test(batches, tf.constant(stop - start)))
            self._callbacks.on_test_batch_end(stop - 1, logs)
        self._callbacks.on_test_end(logs)
        return logs

    def _executions(self, steps: int) -> Iterator[tuple[int, int]]:
        """The steps of each execution, from start to stop; a callback may change how many."""
        start = 0
        while start < steps:
            stop = min(start + int(self._model.steps_per_execution.numpy()), steps)
            yield start, stop
            start = stop

    def _on_all_replicas(
        self, step: StepFunction, counter: tf.Variable
    ) -> Callable[[Iterator[Any], tf.Tensor], dict[str, tf.Tensor]]:
        """The function that makes so many steps with the next batches and gives the metrics."""
        strategy = self._model.distribute_strategy

        def one_step(batches: Iterator[Any]) -> dict[str, tf.Tensor]:
            metrics = strategy.run(step, (next(batches),))
            counter.assign_add(1)
            # They are the same on all replicas.
            return {
                name: strategy.experimental_local_results(value)[0]
                for name, value in metrics.items()
            }

        def several_steps(batches: Iterator[Any], count: tf.Tensor) -> dict[str, tf.Tensor]:
            metrics = one_step(batches)
            for _ in tf.range(count - 1):
                metrics = one_step(batches)
            return metrics

        function: Callable[[Iterator[Any], tf.Tensor], dict[str, tf.Tensor]]
        function = tf.function(several_steps)
        return function


def _as_numbers(metrics: dict[str, tf.Tensor]) -> dict[str, float]:
    return {name: float(value) for name, value in metrics.items()}
