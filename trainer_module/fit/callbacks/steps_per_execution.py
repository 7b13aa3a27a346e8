"""Chooses the number of steps that TensorFlow runs before Python takes part again.

Each return to Python costs a millisecond, as long as a step of a small network. During an
execution, Python can neither report progress, nor see a NaN loss, nor handle a request to stop.
"""

from __future__ import annotations

import tf_keras

from trainer_module.fit.callbacks.fit_position import FitPosition, Logs
from trainer_module.fit.callbacks.step_seconds import StepTimer

FIRST_STEPS = 8
"""Steps of an execution until the seconds per step are known; bounds how long slow steps block."""
_MOST_STEPS = 64
"""At 64 steps, the return to Python is a small share even of the shortest steps."""
_SECONDS = 0.1
"""Duration of an execution to aim for: the return to Python then costs a hundredth of it, and a
request to stop is handled within a tenth of a second."""


class StepsPerExecution(tf_keras.callbacks.Callback):
    """Measures the second execution, then sets as many steps as take a tenth of a second."""

    def __init__(self, position: FitPosition) -> None:
        super().__init__()
        self._position = position
        self._timer = StepTimer()
        self._steps: int | None = None

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self._timer.reset()
        if self._steps is not None:
            # Keras lowers the number for the last execution of an epoch, which may be shorter.
            self.model.steps_per_execution = self._steps

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        if self._steps is not None:
            return
        pace = self._timer.measure(self._position.step, self.model.distribute_strategy)
        if pace is not None:
            _, seconds = pace
            self._steps = self.model.steps_per_execution = count_steps_within(_SECONDS, seconds)


def count_steps_within(seconds: float, seconds_per_step: float) -> int:
    """Returns the number of steps that run in `seconds`, between 2 and 64.

    From 2 steps on, Keras runs its loop over the steps in TensorFlow.
    """
    return max(2, min(_MOST_STEPS, int(seconds / max(seconds_per_step, 1e-9))))
