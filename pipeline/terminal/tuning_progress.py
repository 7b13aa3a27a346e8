"""The lines and sentences about a running search, for a terminal and for a log."""

from __future__ import annotations

import json
import re
from typing import Any

from ruamel.yaml import YAML

from pipeline.core.events import SearchResumed, TrainingProgress, TrialChanged


class Trials:
    """The state of a search, kept up to date by its events."""

    def __init__(self) -> None:
        self._ended = 0
        self._best: float | None = None
        self._total: int | None = None
        self._running: dict[str, str] = {}
        """The words about each running trial."""

    def update_progress(self, trial: str, event: TrainingProgress) -> None:
        """Takes over the progress of a trial's training."""
        self._running[trial] = f"trial {trial}: {event.unit} {event.epoch} of {event.epochs}"

    def update(self, event: TrialChanged) -> None:
        """Takes over the start or the end of a trial."""
        self._ended, self._total, self._best = event.ended, event.trials, event.best
        if event.status == "running":
            self._running[event.trial] = f"trial {event.trial}: starting"
        else:
            self._running.pop(event.trial, None)

    def format(self, width: int) -> str:
        """Returns the number of ended trials, the best objective and the running trials.

        The last parts are left out if the line has more than `width` columns.
        """
        of_all = f" of {self._total}" if self._total else ""
        parts = [f"{self._ended}{of_all} trials done", *self._running.values()]
        if self._best is not None:
            parts.insert(1, f"best {self._best:.4f}")
        while len(parts) > 1 and len("  ".join(parts)) > width:
            parts.pop()
        return "  ".join(parts)[:width]


def describe_search_resumption(event: SearchResumed) -> str:
    """Returns the sentence that says how many trials an interrupted search has ended already."""
    trials = "1 trial" if event.trials == 1 else f"{event.trials} trials"
    return f"Tuner goes on after {trials} of a search that was interrupted"


def describe_trial(event: TrialChanged) -> str:
    """Returns the line of a log about a trial that has ended."""
    of_all = f" of {event.trials}" if event.trials else ""
    if event.status == "done":
        outcome = f"{event.objective:.4f}, the best so far {event.best:.4f}"
    else:
        outcome = f"{event.status}, {event.message}"
    values = ", ".join(f"{key} {format_value(value)}" for key, value in event.values.items())
    return f"trial {event.trial}{of_all}: {outcome}; {values}"


def format_value(value: Any) -> str:
    """Returns the value of a configuration key for people: numbers have four digits."""
    return f"{value:.4g}" if isinstance(value, float) else format_yaml(value)


def format_yaml(value: Any) -> str:
    """Returns the value of a configuration key as YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {format_yaml(inner)}" for key, inner in value.items()) + "}"
    plain = isinstance(value, str) and re.fullmatch(r"[\w.]+", value)
    return value if plain and YAML(typ="safe").load(value) == value else json.dumps(value)
