"""How many steps TensorFlow makes before Python takes part again.

Each time costs a millisecond, which is as long as a small network's step. Between them nothing is
seen of the training: no progress, no loss that is not a number, no request to end.
"""

from __future__ import annotations

import tf_keras

from trainer_module.fit.callbacks.fit_position import FitPosition, Logs
from trainer_module.fit.callbacks.step_seconds import StepTimer

FIRST_STEPS = 8
_MOST_STEPS = 64
_SECONDS = 0.1


class StepsPerExecution(tf_keras.callbacks.Callback):
    """Measures the second execution, and then takes as many steps as make a tenth of a second."""

    def __init__(self, position: FitPosition) -> None:
        super().__init__()
        self._position = position
        self._timer = StepTimer()
        self._steps: int | None = None

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self._timer.reset()
        if self._steps is not None:
            # Keras undoes it in the last execution of an epoch, which may be a shorter one.
            self.model.steps_per_execution = self._steps

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        if self._steps is not None:
            return
        pace = self._timer.measure(self._position.step, self.model.distribute_strategy)
        if pace is not None:
            _, seconds = pace
            self._steps = self.model.steps_per_execution = count_steps_within(_SECONDS, seconds)


def count_steps_within(seconds: float, seconds_per_step: float) -> int:
    """From 2, at which Keras has its loop in TensorFlow, to 64: more would gain nothing."""
    return max(2, min(_MOST_STEPS, int(seconds / max(seconds_per_step, 1e-9))))
