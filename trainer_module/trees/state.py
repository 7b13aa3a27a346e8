"""The state of a training of trees and its backup: the texts of the finished stages."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field

import tensorflow as tf

from pipeline.config.sections.families.trees import TreesConfig
from pipeline.core.errors import PipelineError
from pipeline.core.files import write_text_atomically

_STATE_FILE = "trees.json"


@dataclass
class TreesState:
    """The finished iterations. A stage's iterations count once the stage is finished."""

    epochs: list[dict[str, float]] = field(default_factory=list)
    """The measures of each iteration, under the names that the epochs of networks have."""
    stages: list[str] = field(default_factory=list)
    """The text of each finished stage's trees."""
    is_exhausted: bool = False
    """Whether no leaf can be split any more."""
    is_out_of_time: bool = False
    """Whether the training ended because `training.seconds` were over."""
    _best: int | None = field(default=None, init=False, compare=False)
    _compared: int = field(default=0, init=False, compare=False)
    """The number of iterations among which `_best` is the best."""

    @property
    def best_epoch(self) -> int | None:
        """Index of the iteration with the lowest eval loss; None without a finite eval loss."""
        # Early stopping asks after every iteration, so each call compares the new ones only.
        for index, epoch in enumerate(self.epochs[self._compared :], self._compared):
            loss = epoch["eval_loss"]
            best = math.inf if self._best is None else self.epochs[self._best]["eval_loss"]
            if math.isfinite(loss) and loss < best:
                self._best = index
        self._compared = len(self.epochs)
        return self._best

    @property
    def seconds(self) -> float:
        """Wall time of all iterations, with those of interrupted processes."""
        return sum(epoch["seconds"] for epoch in self.epochs)

    def is_over(self, settings: TreesConfig, least_loss: float = 0.0) -> bool:
        """Whether all iterations are done, or early stopping or the time limit ends the fit.

        Early stopping also ends the fit below the eval loss `least_loss`.
        """
        done, patience = len(self.epochs), settings.early_stopping
        best = -1 if self.best_epoch is None else self.best_epoch
        is_done = best >= 0 and self.epochs[best]["eval_loss"] < least_loss
        has_stopped = patience > 0 and (is_done or done - 1 - best >= patience)
        is_ended = self.is_exhausted or self.is_out_of_time or has_stopped
        return is_ended or done >= settings.iterations


class TreesBackup:
    """A directory with a file for each finished stage, and a file with the rest of the state."""

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def restore(self) -> TreesState:
        """Returns the state in the directory, or a new state if there is none.

        Raises:
          PipelineError: the backup is damaged.
        """
        path = os.path.join(self._directory, _STATE_FILE)
        try:
            if not tf.io.gfile.exists(path):
                return TreesState()
            content = json.loads(_read(path))
            stages = [_read(self._stage_path(number)) for number in range(content.pop("stages"))]
            return TreesState(stages=stages, **content)
        except (AttributeError, LookupError, TypeError, ValueError, tf.errors.OpError) as error:
            raise PipelineError(
                f"{self._directory}: the backup of an interrupted training cannot be restored",
                "remove the directory to train from the beginning",
            ) from error

    def save(self, state: TreesState) -> None:
        """Writes the last stage, and then the state that counts it."""
        tf.io.gfile.makedirs(self._directory)
        last = len(state.stages) - 1
        write_text_atomically(self._stage_path(last), state.stages[last], durable=True)
        content = {
            "stages": len(state.stages),
            "epochs": state.epochs,
            "is_exhausted": state.is_exhausted,
            "is_out_of_time": state.is_out_of_time,
        }
        path = os.path.join(self._directory, _STATE_FILE)
        write_text_atomically(path, json.dumps(content), durable=True)

    def _stage_path(self, number: int) -> str:
        return os.path.join(self._directory, f"stage-{number:05}.txt")


def _read(path: str) -> str:
    with tf.io.gfile.GFile(path) as file:
        text: str = file.read()
        return text
