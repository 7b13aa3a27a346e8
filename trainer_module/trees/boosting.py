"""Trains stages of iterations with LightGBM, each from the scores of the stages before it.

Every stage is a new booster, whose result depends on the rows, the settings, the number of the
stage and the trees before it, and on nothing else. So a training that continues from the texts of
its finished stages ends with the same trees as one that was not interrupted. A single long booster
could not: LightGBM saves no state of its draws of rows and columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from trainer_module.trees.library import lightgbm
from trainer_module.trees.measures import choose_row_metrics
from trainer_module.trees.settings import make_stage_seeds
from trainer_module.trees.table import Table

Measures = dict[str, float]
"""Values of metrics by LightGBM's names; those of the evaluation split after `eval_`."""

_TRAINING, _EVALUATION = "training", "valid_0"
"""LightGBM's names of the splits."""


class Boosting:
    """Both splits in LightGBM's form, and the score of each row after the finished stages.

    Args:
      categorical: the numbers of the columns that hold categories.
      seed: the seed from which those of the stages follow.
    """

    def __init__(
        self,
        train: Table,
        evaluation: Table,
        categorical: list[int],
        parameters: Mapping[str, Any],
        seed: int,
    ) -> None:
        self._parameters = dict(parameters)
        self._metrics = choose_row_metrics(self._parameters["objective"])
        self._seed = seed
        self._tables = (train, evaluation)
        self._train = lightgbm.Dataset(
            train.rows,
            train.targets,
            weight=train.weights,
            categorical_feature=categorical,
            params=self._parameters,
        ).construct()
        self._evaluation = lightgbm.Dataset(
            evaluation.rows,
            evaluation.targets,
            reference=self._train,
            weight=evaluation.weights,
            categorical_feature=categorical,
            params=self._parameters,
        ).construct()
        self._scores: list[npt.NDArray[np.float64]] = []
        self._stage = 0

    @property
    def row_count(self) -> int:
        """Rows of the training split."""
        return len(self._tables[0].rows)

    def train_stage(self, iterations: int, record: Callable[[Measures], bool]) -> str:
        """Trains one stage and returns the text of its trees.

        Calls `record` with the measures after each iteration. The stage has fewer iterations if
        `record` returns False, or if no leaf can be split any more.
        """
        seeds = make_stage_seeds(self._seed, self._stage)
        booster = lightgbm.Booster({**self._parameters, **seeds}, self._train)
        booster.add_valid(self._evaluation, _EVALUATION)
        of_train, of_evaluation = self._metrics
        for iteration in range(iterations):
            is_exhausted = booster.update()
            if is_exhausted and iteration:
                # LightGBM has dropped the trees of this iteration, which have no split.
                break
            measured = [*booster.eval_train(of_train), *booster.eval_valid(of_evaluation)]
            goes_on = record({_name(split, metric): value for split, metric, value, _ in measured})
            if is_exhausted or not goes_on:
                break
        text: str = booster.model_to_string()
        return text

    def finish_stage(self, text: str) -> None:
        """Adds the trees of a finished stage to the scores that the next stage starts from."""
        booster = lightgbm.Booster(model_str=text)
        threads = self._parameters["num_threads"]
        scores = [
            np.asarray(booster.predict(table.rows, raw_score=True, num_threads=threads))
            for table in self._tables
        ]
        earlier = self._scores or [np.zeros_like(several) for several in scores]
        self._scores = [a + b for a, b in zip(earlier, scores, strict=True)]
        for data, several in zip((self._train, self._evaluation), self._scores, strict=True):
            data.set_init_score(several)
        self._stage += 1


def _name(split: str, metric: str) -> str:
    return metric if split == _TRAINING else f"eval_{metric}"
