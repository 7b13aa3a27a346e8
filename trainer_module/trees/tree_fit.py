"""Fits trees in stages, with early stopping, backups and events."""

from __future__ import annotations

import time

from pipeline.config.sections.families.trees import TreesConfig
from pipeline.core.errors import PipelineError
from pipeline.core.events import TrainingEnded, TrainingResumed, emit
from trainer_module.heads import Head
from trainer_module.trees.boosting import Boosting, Measures
from trainer_module.trees.measures import name_measures
from trainer_module.trees.progress import UNIT, TreesProgress
from trainer_module.trees.state import TreesBackup, TreesState


def fit_trees(
    boosting: Boosting, backup: TreesBackup, settings: TreesConfig, head: Head
) -> TreesState:
    """Trains from the backup on, and returns the state after the last iteration.

    Raises:
      PipelineError: the backup is damaged, or no iteration has a finite eval loss.
    """
    state = backup.restore()
    if state.epochs:
        emit(TrainingResumed(epoch=len(state.epochs), step=0, unit=UNIT))
    progress = TreesProgress(boosting.row_count, len(state.epochs), settings.iterations)
    finished = 0
    while not state.is_over(settings):
        for text in state.stages[finished:]:
            boosting.finish_stage(text)
        finished = len(state.stages)
        _add_stage(state, boosting, settings, head, progress)
        backup.save(state)
    if state.best_epoch is None:
        raise PipelineError(
            "the evaluation loss is NaN or infinite in every iteration",
            "look for extreme labels and weights",
        )
    best = state.epochs[state.best_epoch]
    emit(
        TrainingEnded(
            epochs=settings.iterations,
            last_epoch=len(state.epochs),
            best_epoch=state.best_epoch + 1,
            best_loss=best["loss"],
            best_eval_loss=best["eval_loss"],
            unit=UNIT,
        )
    )
    return state


def _add_stage(
    state: TreesState,
    boosting: Boosting,
    settings: TreesConfig,
    head: Head,
    progress: TreesProgress,
) -> None:
    """Trains a stage and adds its trees and its iterations to the state."""
    planned = min(settings.backup_iterations, settings.iterations - len(state.epochs))
    first, watch = len(state.epochs), _StopWatch()

    def record(measured: Measures) -> bool:
        values = name_measures(measured, head)
        number = len(state.epochs) + 1
        state.epochs.append({**values, "steps": number, "seconds": watch.lap()})
        progress.update(number, values["loss"], values["eval_loss"])
        return not state.is_over(settings)

    state.stages.append(boosting.train_stage(planned, record))
    trained = len(state.epochs) - first
    state.is_exhausted = trained < planned and not state.is_over(settings)


class _StopWatch:
    def __init__(self) -> None:
        self._start = time.monotonic()

    def lap(self) -> float:
        """Returns the seconds since the last call, or since the watch was made."""
        start, self._start = self._start, time.monotonic()
        return round(self._start - start, 4)
