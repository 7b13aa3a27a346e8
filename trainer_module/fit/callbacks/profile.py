"""A callback that profiles `training.tensorboard.profile_steps`, for TensorBoard."""

from __future__ import annotations

import tensorflow as tf
import tf_keras

from trainer_module.fit.callbacks.fit_position import FitPosition, Logs


class Profile(tf_keras.callbacks.Callback):
    """Profiles all executions from the one with the first step to the one with the last step.

    `steps` are the first and the last step, counted from 1 over all epochs. Keras's own callback
    counts executions.
    """

    def __init__(
        self, position: FitPosition, steps: tuple[int, int], steps_per_epoch: int, directory: str
    ) -> None:
        super().__init__()
        self._position = position
        self._first, self._last = steps
        self._steps_per_epoch = steps_per_epoch
        self._directory = directory
        self._is_profiling = False

    def on_train_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        done = self._count_done_steps()
        following = done + int(self.model.steps_per_execution.numpy())
        if not self._is_profiling and done < self._last and following >= self._first:
            tf.profiler.experimental.start(self._directory)
            self._is_profiling = True

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        if self._is_profiling and self._count_done_steps() >= self._last:
            self._stop()

    def on_train_end(self, logs: Logs | None = None) -> None:
        if self._is_profiling:
            self._stop()

    def _stop(self) -> None:
        tf.profiler.experimental.stop()
        self._is_profiling = False

    def _count_done_steps(self) -> int:
        return self._position.epoch * self._steps_per_epoch + self._position.step
