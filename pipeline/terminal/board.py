"""The components of a run as its events tell of them: what a display shows."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from pipeline.terminal.summary import Component
from pipeline.terminal.tuning_progress import Trials


class Board:
    """The state of each component, waiting ones included, and how far trials and training are."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self.components: dict[str, Component] = {}
        self.progress: dict[str, Any] = {}
        """The last progress event; what it did not tell stays from the one before."""
        self.trials = Trials()

    def take(self, event: dict[str, Any]) -> None:
        """Takes one event of the working process."""
        fields = {key: value for key, value in event.items() if key != "event"}
        if event["event"] == "pipeline":
            self.components = {n: Component(n, "waiting") for n in fields["components"]}
        elif event["event"] == "component":
            self.components[event["name"]] = Component(**fields)
            self._started = self._clock()
        elif event["event"] == "trial":
            self.trials.take_state(event)
        elif event["event"] == "progress" and "trial" in event:
            self.trials.take_progress(event)
        elif event["event"] == "progress":
            self.progress |= {k: v for k, v in fields.items() if v is not None}
        elif event["event"] == "trained" and "trial" not in event and self.progress:
            # What it came to: the epoch that is kept, of those that there were.
            self.progress |= {
                "epoch": fields["best_epoch"],
                "epochs": fields["last_epoch"],
                "loss": fields["best_loss"],
                "eval_loss": fields["best_eval_loss"],
            }

    def elapsed(self) -> float:
        """The seconds since the running component started, or since TensorFlow is being loaded."""
        return self._clock() - self._started
