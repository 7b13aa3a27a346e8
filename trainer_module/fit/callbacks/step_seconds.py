"""Measures the seconds per step, as a mean over all workers."""

from __future__ import annotations

import time

import tensorflow as tf

from trainer_module.fit.worker_values import mean_over_workers


class StepTimer:
    """Measures from the first call of `measure` on.

    The time before the first call is mostly compilation and does not count.
    """

    def __init__(self) -> None:
        self._first: tuple[int, float] | None = None

    def reset(self) -> None:
        """Starts a new measurement at the next call of `measure`."""
        self._first = None

    def measure(self, step: int, strategy: tf.distribute.Strategy) -> tuple[int, float] | None:
        """Returns the steps since the first call and the mean seconds per step over all workers.

        Returns None at the first call. All workers have to call this at the same steps.
        """
        now = time.monotonic()
        if self._first is None:
            self._first = (step, now)
            return None
        first, start = self._first
        steps = step - first
        return steps, mean_over_workers((now - start) / steps, strategy)
