"""Reports the progress of a training of trees, as the callbacks of a network's fit do."""

from __future__ import annotations

import json
import os
import time

from pipeline.core.environment import STEPS_VARIABLE
from pipeline.core.events import TrainingProgress, emit
from pipeline.core.files import write_text_atomically
from trainer_module.fit.callbacks.progress import SECONDS_BETWEEN_UPDATES

UNIT = "iteration"
"""What takes the place of an epoch in events and on the page of a run."""


_FEWEST_EVENTS = 20
"""Events of a whole training, at least: a log shows so many iterations, evenly spaced."""


class TreesProgress:
    """Emits events and writes the steps file: twice a second, and at evenly spaced iterations."""

    def __init__(self, rows: int, first: int, iterations: int) -> None:
        self._rows = rows
        self._first = first
        self._iterations = iterations
        self._stride = -(-iterations // _FEWEST_EVENTS)
        self._start = self._last = time.monotonic()
        self._path = os.environ.get(STEPS_VARIABLE)

    def update(self, iteration: int, loss: float, eval_loss: float) -> None:
        """Reports that `iteration`, counted from 1, is done."""
        now = time.monotonic()
        is_due = now - self._last >= SECONDS_BETWEEN_UPDATES
        if not is_due and iteration % self._stride and iteration < self._iterations:
            return
        self._last = now
        if self._path:
            # The supervisor takes a tick for a sign of life; a tick of 0 would announce a pause.
            counts = json.dumps([iteration, iteration])
            write_text_atomically(self._path, counts, durable=False)
        seconds = max(now - self._start, 1e-9) / (iteration - self._first)
        emit(
            TrainingProgress(
                epoch=iteration,
                epochs=self._iterations,
                step=1,
                steps_per_epoch=1,
                loss=loss,
                eval_loss=eval_loss,
                examples_per_second=round(self._rows / seconds, 1),
                seconds_left=round(seconds * (self._iterations - iteration), 1),
                unit=UNIT,
            )
        )
