"""Stops a fit when its time is over, within an epoch too."""

from __future__ import annotations

import tf_keras

from trainer_module.fit.backup import FitState
from trainer_module.fit.callbacks.fit_position import Logs
from trainer_module.fit.worker_values import mean_over_workers


class TimeLimit(tf_keras.callbacks.Callback):
    """Stops the fit after the execution that exceeds the seconds; an evaluation always follows.

    The clocks of workers differ, and all workers must stop at the same step. So the workers
    exchange their times after each execution, and the mean decides.

    It has to come before `EpochEnd`, which reads `state.is_out_of_time`.

    Args:
      state: the state that knows the time of the fit.
      seconds: the time after which the fit ends.
      is_within_epochs: whether to stop within an epoch as well. A coordinator cannot: its workers
        are still running the steps that it has scheduled.
    """

    def __init__(self, state: FitState, seconds: float, is_within_epochs: bool = True) -> None:
        super().__init__()
        self._state = state
        self._seconds = seconds
        self._is_within_epochs = is_within_epochs

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        if self._is_within_epochs:
            self._stop_if_over()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        self._stop_if_over()

    def _stop_if_over(self) -> None:
        seconds = mean_over_workers(self._state.seconds, self.model.distribute_strategy)
        if seconds >= self._seconds:
            self._state.is_out_of_time = self.model.stop_training = True
