"""Fits trees in stages, with early stopping, a time limit, backups and events."""

from __future__ import annotations

import time
from dataclasses import dataclass

from pipeline.config.sections.families.trees import TreesConfig
from pipeline.core.errors import DivergenceError
from pipeline.core.events import TrainingEnded, TrainingResumed, emit
from trainer_module.heads import Head
from trainer_module.trees.boosting import Boosting, Measures
from trainer_module.trees.measures import name_measures
from trainer_module.trees.progress import UNIT, TreesProgress
from trainer_module.trees.state import TreesBackup, TreesState


@dataclass(frozen=True)
class Limits:
    """What ends a fit of trees, and where its steps begin."""

    settings: TreesConfig
    """The most iterations, and when early stopping ends the fit."""
    seconds: float | None = None
    """The wall time of all iterations after which the fit ends; None for no limit."""
    steps_before: int = 0
    """The steps of other fits of the same training, for the supervisor."""
    least_loss: float = 0.0
    """The eval loss below which nothing is left to learn."""

    def are_reached(self, state: TreesState) -> bool:
        """Whether the fit is over."""
        return state.is_over(self.settings, self.least_loss)


def fit_trees(boosting: Boosting, backup: TreesBackup, limits: Limits, head: Head) -> TreesState:
    """Trains from the backup on, and returns the state after the last iteration.

    Raises:
      DivergenceError: no iteration has a finite eval loss.
      PipelineError: the backup is damaged.
    """
    state, settings = backup.restore(), limits.settings
    if state.epochs:
        emit(TrainingResumed(epoch=len(state.epochs), step=0, unit=UNIT))
    progress = TreesProgress(
        boosting.row_count, len(state.epochs), settings.iterations, limits.steps_before
    )
    finished = 0
    while not limits.are_reached(state):
        for text in state.stages[finished:]:
            boosting.finish_stage(text)
        finished = len(state.stages)
        _add_stage(state, boosting, limits, head, progress)
        backup.save(state)
    progress.end()
    if state.best_epoch is None:
        raise DivergenceError(
            "the evaluation loss is NaN or infinite in every iteration",
            "look for extreme labels and weights",
        )
    _tell_end(state, state.best_epoch, limits)
    return state


def _tell_end(state: TreesState, best_epoch: int, limits: Limits) -> None:
    best = state.epochs[best_epoch]
    emit(
        TrainingEnded(
            epochs=limits.settings.iterations,
            last_epoch=len(state.epochs),
            best_epoch=best_epoch + 1,
            best_loss=best["loss"],
            best_eval_loss=best["eval_loss"],
            unit=UNIT,
            time_limit=limits.seconds if state.is_out_of_time else None,
        )
    )


def _add_stage(
    state: TreesState,
    boosting: Boosting,
    limits: Limits,
    head: Head,
    progress: TreesProgress,
) -> None:
    """Trains a stage and adds its trees and its iterations to the state."""
    settings = limits.settings
    planned = min(settings.backup_iterations, settings.iterations - len(state.epochs))
    first, watch = len(state.epochs), _StopWatch(state.seconds)

    def record(measured: Measures) -> bool:
        values = name_measures(measured, head)
        number, lap = len(state.epochs) + 1, watch.lap()
        state.epochs.append({**values, "steps": number, "seconds": lap})
        state.is_out_of_time = limits.seconds is not None and watch.total >= limits.seconds
        progress.update(number, values["loss"], values["eval_loss"])
        return not limits.are_reached(state)

    state.stages.append(boosting.train_stage(planned, record))
    trained = len(state.epochs) - first
    state.is_exhausted = trained < planned and not limits.are_reached(state)


class _StopWatch:
    """Measures laps. `total` is the seconds before the first lap, and those of all laps."""

    def __init__(self, total: float) -> None:
        self.total = total
        self._start = time.monotonic()

    def lap(self) -> float:
        """Returns the seconds since the last call, or since the watch was made."""
        start, self._start = self._start, time.monotonic()
        seconds = round(self._start - start, 4)
        self.total += seconds
        return seconds
