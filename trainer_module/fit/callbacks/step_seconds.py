"""How long a step takes, measured between two looks at the position."""

from __future__ import annotations

import time

import tensorflow as tf

from trainer_module.fit.worker_mean import mean_over_workers


class StepTimer:
    """Measures from the first look on; what comes before it is mostly compilation."""

    def __init__(self) -> None:
        self._first: tuple[int, float] | None = None

    def reset(self) -> None:
        """Begins anew with the next look."""
        self._first = None

    def measure(self, step: int, strategy: tf.distribute.Strategy) -> tuple[int, float] | None:
        """The steps since the first look, and the seconds of one, on which all workers agree.

        None at the first look. All workers have to look at the same steps.
        """
        now = time.monotonic()
        if self._first is None:
            self._first = (step, now)
            return None
        first, start = self._first
        steps = step - first
        return steps, mean_over_workers((now - start) / steps, strategy)
