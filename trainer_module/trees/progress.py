"""Reports the progress of a training of trees, as the callbacks of a network's fit do."""

from __future__ import annotations

import os
import time

from pipeline.core.environment import STEPS_VARIABLE
from pipeline.core.events import TrainingProgress, emit
from trainer_module.fit.callbacks.progress import SECONDS_BETWEEN_UPDATES, write_steps

UNIT = "iteration"
"""What takes the place of an epoch in events and on the page of a run."""


_FEWEST_EVENTS = 20
"""Events of a whole training, at least: a log shows so many iterations, evenly spaced."""


class TreesProgress:
    """Emits events and writes the steps file: twice a second, and at evenly spaced iterations.

    Args:
      rows: the rows of the training split.
      first: the iterations that the backup holds.
      iterations: the most iterations.
      steps_before: the steps of other fits of the same training, for the supervisor.
    """

    def __init__(self, rows: int, first: int, iterations: int, steps_before: int = 0) -> None:
        self._rows = rows
        self._first = self._done = first
        self._iterations = iterations
        self._steps_before = steps_before
        self._stride = -(-iterations // _FEWEST_EVENTS)
        self._start = self._last = time.monotonic()
        self._path = os.environ.get(STEPS_VARIABLE)
        self._untold: tuple[float, float] | None = None
        """The losses of the last iteration, if no event has told them."""

    def update(self, iteration: int, loss: float, eval_loss: float) -> None:
        """Reports that `iteration`, counted from 1, is done."""
        self._done, self._untold = iteration, (loss, eval_loss)
        now = time.monotonic()
        is_due = now - self._last >= SECONDS_BETWEEN_UPDATES
        if not is_due and iteration % self._stride and iteration < self._iterations:
            return
        self._last = now
        # The supervisor takes a tick for a sign of life; a tick of 0 would announce a pause.
        self._write(iteration)
        self._emit(loss, eval_loss)

    def end(self) -> None:
        """Reports the last iteration, and tells the supervisor that a pause follows."""
        if self._untold:
            self._emit(*self._untold)
        self._write(0)

    def _write(self, ticks: int) -> None:
        if self._path:
            write_steps(self._path, self._steps_before + self._done, ticks)

    def _emit(self, loss: float, eval_loss: float) -> None:
        self._untold = None
        elapsed = max(time.monotonic() - self._start, 1e-9)
        seconds = elapsed / (self._done - self._first)
        emit(
            TrainingProgress(
                epoch=self._done,
                epochs=self._iterations,
                step=1,
                steps_per_epoch=1,
                loss=loss,
                eval_loss=eval_loss,
                examples_per_second=round(self._rows / seconds, 1),
                seconds_left=round(seconds * (self._iterations - self._done), 1),
                unit=UNIT,
            )
        )
