"""The epoch and the step of the fit, for all callbacks.

Keras counts steps from the start of each call of `fit`. An interrupted epoch consists of two calls,
so callbacks read the step from FitPosition.
"""

from __future__ import annotations

from collections.abc import Mapping

import tf_keras

Logs = Mapping[str, float]


class FitPosition(tf_keras.callbacks.Callback):
    """Keeps the current epoch, counted from 0, and the number of its steps that are done.

    It has to be the first callback, so that the other callbacks read the new position.
    """

    def __init__(self, epoch: int, step: int) -> None:
        super().__init__()
        self.epoch = epoch
        self.step = step
        self._step_at_start = step

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self.epoch = epoch
        self.step = self._step_at_start

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        self.step = self._step_at_start + batch + 1

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        self._step_at_start = 0
