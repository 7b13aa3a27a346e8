"""Callbacks that back the fit up: at the ends of epochs, and within long epochs."""

from __future__ import annotations

import time

import tf_keras

from pipeline.config import TrainingConfig
from trainer_module.fit.backup import Backup
from trainer_module.fit.callbacks.fit_position import FitPosition, Logs
from trainer_module.fit.callbacks.step_seconds import StepTimer
from trainer_module.fit.worker_values import mean_over_workers

_FEWEST_SECONDS = 1.0
"""Least seconds between backups at epoch ends: a backup may take as long as a short epoch."""


class EpochEnd(tf_keras.callbacks.Callback):
    """Records each epoch, backs the fit up, and stops it early."""

    def __init__(self, backup: Backup, config: TrainingConfig, steps_per_epoch: int) -> None:
        super().__init__()
        self._backup = backup
        self._config = config
        self._steps_per_epoch = steps_per_epoch
        self._start = 0.0

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self._start = time.monotonic()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        values = {k.replace("val_", "eval_", 1): float(v) for k, v in (logs or {}).items()}
        values["steps"] = int(self.model.optimizer.iterations.numpy())
        values["learning_rate"] = float(self.model.optimizer.learning_rate.numpy())
        values["seconds"] = round(time.monotonic() - self._start, 3)
        state = self._backup.state
        state.record(values, self.model)
        self.model.stop_training = state.is_over(self._config, self._steps_per_epoch)
        age = mean_over_workers(self._backup.age(), self.model.distribute_strategy)
        fewest = min(_FEWEST_SECONDS, self._config.recovery.backup_seconds)
        if self.model.stop_training or age >= fewest:
            self._backup.save()


class BackupWithinEpoch(tf_keras.callbacks.Callback):
    """Backs the fit up every `seconds` seconds within an epoch.

    All workers have to save after the same step, but their clocks differ. So the workers agree on
    the number of steps that corresponds to the seconds.
    """

    def __init__(
        self, backup: Backup, position: FitPosition, seconds: float, steps_per_epoch: int
    ) -> None:
        super().__init__()
        self._backup = backup
        self._position = position
        self._seconds = seconds
        self._steps_per_epoch = steps_per_epoch
        self._timer = StepTimer()
        self._due: int | None = None

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self._restart_timer()

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        step = self._position.step
        if step >= self._steps_per_epoch:
            return
        if self._due is None and (
            pace := self._timer.measure(step, self.model.distribute_strategy)
        ):
            steps, seconds = pace
            self._due = step - steps + int(self._seconds / seconds)
        if self._due is not None and step >= self._due:
            self._backup.state.step = step
            self._backup.save()
            self._restart_timer()

    def _restart_timer(self) -> None:
        self._timer.reset()
        self._due = None
