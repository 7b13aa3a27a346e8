"""Where the fit stands, for all callbacks alike.

Keras counts the steps of each call of `fit` anew; an epoch that was interrupted is two calls.
"""

from __future__ import annotations

from collections.abc import Mapping

import tf_keras

Logs = Mapping[str, float]


class FitPosition(tf_keras.callbacks.Callback):
    """The epoch, counted from 0, and the steps of it that are done; the first of the callbacks."""

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
