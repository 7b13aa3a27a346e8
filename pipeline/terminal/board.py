"""The state of a run that the display shows, kept up to date by the run's events."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

from pipeline.core.events import (
    ComponentChanged,
    Envelope,
    JobProgressed,
    JobStarted,
    PipelineStarted,
    TrainingEnded,
    TrainingProgress,
    TrialChanged,
)
from pipeline.terminal.summary import Component
from pipeline.terminal.tuning_progress import Trials


class Board:
    """The state of each component, also of waiting ones, and the progress of training and trials.

    `clock` returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self.components: dict[str, Component] = {}
        """By id, in the order in which they run."""
        self.progress: TrainingProgress | None = None
        """The Trainer's last progress event; its losses stay until a later event has new ones."""
        self.trials = Trials()
        self.job: JobStarted | None = None
        """The last job that the running component has on an engine."""
        self.job_progress: JobProgressed | None = None
        """How far that job is; None where only the engine knows."""

    def update(self, envelope: Envelope) -> None:
        """Takes over one event."""
        match envelope.event:
            case PipelineStarted() as event:
                self.components = {name: Component(name, "waiting") for name in event.components}
            case ComponentChanged() as event:
                self.components[event.name] = Component.from_event(event)
                self._started = self._clock()
                self.job = self.job_progress = None
            case JobStarted() as event:
                self.job, self.job_progress = event, None
            case JobProgressed() as event:
                self.job_progress = event
            case TrialChanged() as event:
                self.trials.update(event)
            case TrainingProgress() as event if envelope.trial is not None:
                self.trials.update_progress(envelope.trial, event)
            case TrainingProgress() as event:
                self.progress = _with_earlier_losses(event, self.progress)
            case TrainingEnded() as event if envelope.trial is None and self.progress is not None:
                self.progress = dataclasses.replace(
                    self.progress,
                    epoch=event.best_epoch,
                    epochs=event.last_epoch,
                    loss=event.best_loss,
                    eval_loss=event.best_eval_loss,
                )

    def elapsed(self) -> float:
        """Returns the seconds since the running component, or the whole run, started."""
        return self._clock() - self._started


def _with_earlier_losses(
    event: TrainingProgress, earlier: TrainingProgress | None
) -> TrainingProgress:
    # The parts of a blend follow each other.
    if earlier is None or earlier.unit != event.unit:
        return event
    return dataclasses.replace(
        event,
        loss=earlier.loss if event.loss is None else event.loss,
        eval_loss=earlier.eval_loss if event.eval_loss is None else event.eval_loss,
        seconds_left=earlier.seconds_left if event.seconds_left is None else event.seconds_left,
    )
