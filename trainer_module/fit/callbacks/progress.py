"""Tells whoever watches the run how training goes, while it goes.

Events for people, and for who supervises many workers, each worker's count of steps.
"""

from __future__ import annotations

import json
import os
import time

import tf_keras

from pipeline.core.environment import STEPS_VARIABLE
from pipeline.core.events import TrainingProgress, emit
from pipeline.core.files import write_text_atomically
from trainer_module.fit.callbacks.fit_position import FitPosition, Logs

SECONDS_BETWEEN_UPDATES = 0.5


class ProgressEvents(tf_keras.callbacks.Callback):
    """An event at the end of each epoch, and at most twice a second within it."""

    def __init__(
        self, position: FitPosition, epochs: int, steps_per_epoch: int, examples_per_step: int
    ) -> None:
        super().__init__()
        self._position = position
        self._epochs = epochs
        self._steps = steps_per_epoch
        self._examples_per_step = examples_per_step
        self._examples_per_second = 0.0
        self._epoch_start = self._last_event = 0.0
        self._anchor: tuple[int, float] | None = None
        """The first steps and their time: what came before them was mostly compilation."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self._epoch_start = time.monotonic()

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        # Measured here, since the end of the epoch comes after its evaluation.
        now = time.monotonic()
        examples = (batch + 1) * self._examples_per_step
        self._examples_per_second = examples / max(now - self._epoch_start, 1e-9)
        self._anchor = self._anchor or (self._done(self._position.step), now)
        if now - self._last_event >= SECONDS_BETWEEN_UPDATES:
            self._last_event = now
            self._emit(self._position.step, logs or {})

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        self._emit(self._steps, logs or {})

    def _emit(self, step: int, logs: Logs) -> None:
        emit(
            TrainingProgress(
                epoch=self._position.epoch + 1,
                epochs=self._epochs,
                step=step,
                steps_per_epoch=self._steps,
                loss=logs.get("loss"),
                eval_loss=logs.get("val_loss"),
                examples_per_second=round(self._examples_per_second, 1),
                seconds_left=self._seconds_left(step),
            )
        )

    def _seconds_left(self, step: int) -> float | None:
        """Until the last epoch, at the speed so far; early stopping may end it sooner."""
        done = self._done(step)
        first, start = self._anchor or (done, 0.0)
        if done <= first:
            return None
        rest = self._epochs * self._steps - done
        return round((time.monotonic() - start) / (done - first) * rest, 1)

    def _done(self, step: int) -> int:
        """The steps over all epochs."""
        return self._position.epoch * self._steps + step


class WorkerSteps(tf_keras.callbacks.Callback):
    """Keeps this worker's count of steps where its supervisor looks for it.

    The second number changes whenever the worker gets on, in evaluation too: a worker whose
    numbers stand still hangs. It is 0 before the first step of an evaluation, whose functions are
    traced then, and after training.
    """

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path
        self._ticks = 0
        self._last = 0.0

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        self._tick()

    def on_test_begin(self, logs: Logs | None = None) -> None:
        self._pause()

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        self._tick()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        self._tick(now=True)

    def on_train_end(self, logs: Logs | None = None) -> None:
        self._pause()

    def _pause(self) -> None:
        self._last = 0.0
        self._write(0)

    def _tick(self, now: bool = False) -> None:
        self._ticks += 1
        if now or time.monotonic() - self._last >= SECONDS_BETWEEN_UPDATES:
            self._last = time.monotonic()
            self._write(self._ticks)

    def _write(self, ticks: int) -> None:
        counts = [int(self.model.optimizer.iterations.numpy()), ticks]
        # Atomic: the supervisor may look at any moment.
        write_text_atomically(self._path, json.dumps(counts), durable=False)


def worker_steps_callbacks() -> list[tf_keras.callbacks.Callback]:
    """The callback for a supervised worker, or none."""
    path = os.environ.get(STEPS_VARIABLE)
    return [WorkerSteps(path)] if path else []
