"""Reports the progress of training: events for people, and step counts for the supervisor."""

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
"""Least seconds between two updates within an epoch: short for a reader, long against a write."""


class ProgressEvents(tf_keras.callbacks.Callback):
    """Emits an event at the end of each epoch, and at most twice a second within an epoch."""

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
        """Steps done and time at the first update: the time before was mostly compilation."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self._epoch_start = time.monotonic()

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        # Measured at each step: `on_epoch_end` is called after the evaluation.
        now = time.monotonic()
        examples = (batch + 1) * self._examples_per_step
        self._examples_per_second = examples / max(now - self._epoch_start, 1e-9)
        self._anchor = self._anchor or (self._count_done_steps(self._position.step), now)
        if now - self._last_event >= SECONDS_BETWEEN_UPDATES:
            self._last_event = now
            self._emit(self._position.step, logs or {})

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        # Fewer steps than planned, if the time limit ended the epoch.
        self._emit(self._position.step, logs or {})

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
        """Returns the seconds until the end of the last epoch at the speed so far.

        Early stopping may end the fit sooner. Returns None before the second update.
        """
        done = self._count_done_steps(step)
        first, start = self._anchor or (done, 0.0)
        if done <= first:
            return None
        rest = self._epochs * self._steps - done
        return round((time.monotonic() - start) / (done - first) * rest, 1)

    def _count_done_steps(self, step: int) -> int:
        """Returns the number of steps done over all epochs."""
        return self._position.epoch * self._steps + step


class WorkerSteps(tf_keras.callbacks.Callback):
    """Writes this worker's progress to the file that its supervisor reads.

    The file holds two numbers: the steps done, and a tick that changes with each execution, in
    evaluation too. If both stand still, the worker hangs. The tick is 0 where a long pause is
    normal: before the first step of an evaluation, while its functions are traced, and after
    training. `steps_before` are those of other fits of the same training, which came before.
    """

    def __init__(self, path: str, steps_before: int = 0) -> None:
        super().__init__()
        self._path = path
        self._steps_before = steps_before
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
        steps = self._steps_before + int(self.model.optimizer.iterations.numpy())
        write_steps(self._path, steps, ticks)


def write_steps(path: str, steps: int, ticks: int) -> None:
    """Writes the progress of this process for its supervisor: see `WorkerSteps`."""
    # An atomic write: the supervisor may read the file at any moment.
    write_text_atomically(path, json.dumps([steps, ticks]), durable=False)


def worker_steps_callbacks(steps_before: int = 0) -> list[tf_keras.callbacks.Callback]:
    """Returns the callback of a supervised worker, or no callback without a supervisor."""
    path = os.environ.get(STEPS_VARIABLE)
    return [WorkerSteps(path, steps_before)] if path else []
