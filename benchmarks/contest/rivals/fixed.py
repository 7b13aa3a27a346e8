"""Fits boosted trees with the settings that most users take, stopped early on the eval split.

Both libraries handle missing values and categories themselves. With classes of a few rows, their
defaults can fail. Each library is therefore also fitted with careful settings, and the fit with the
lower loss on the eval split counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.contest.metrics import loss
from benchmarks.contest.rivals.hist import fit_one_hist, merge_rare_categories
from benchmarks.contest.rivals.problem import Contestant, Problem
from trainer_module.trees.library import lightgbm

MOST_TREES = 10_000
"""Far more than early stopping lets a library use."""
PATIENCE = 50
"""LightGBM and CatBoost stop after so many trees without a lower eval loss."""
LEAST_SECONDS = 120.0
"""A fit may take as long as the Trainer of *ours*, but at least so long: early stopping ends nearly
all fits before. With a hundred classes, a fit can otherwise take more than 1,000 s."""
_LEARNING_RATE = 0.05
_THREADS = 1
"""More threads would wait for each other on a shared machine; the seconds are those of one core."""
_LIGHTGBM: tuple[dict[str, float], ...] = ({}, {"min_child_samples": 100, "cat_smooth": 50})
_HIST: tuple[dict[str, float], ...] = ({}, {"min_samples_leaf": 100, "l2_regularization": 1.0})


def fit_lightgbm(problem: Problem, seconds: float) -> Contestant:
    """Fits LightGBM with two settings and early stopping, and returns the better fit."""
    return _fit_best(fit_one_lightgbm, _LIGHTGBM, problem, seconds)


def fit_hist(problem: Problem, seconds: float) -> Contestant:
    """Fits scikit-learn's HistGradientBoosting with two settings, and returns the better fit."""
    return _fit_best(fit_one_hist, _HIST, merge_rare_categories(problem), seconds)


def _fit_best(
    fit: Callable[[Problem, Mapping[str, float]], Contestant],
    settings: tuple[dict[str, float], ...],
    problem: Problem,
    seconds: float,
) -> Contestant:
    alone, most = replace(problem, threads=_THREADS), max(seconds, LEAST_SECONDS)
    with threadpool_limits(_THREADS):
        fits = [fit(alone.end_in(most), each) for each in settings]
    # The seconds are those of one fit only: a user of trees would know the settings.
    return min(fits, key=lambda contestant: contestant.eval_loss)


def fit_one_lightgbm(problem: Problem, settings: Mapping[str, float]) -> Contestant:
    """Fits LightGBM with early stopping; `settings` replace the defaults.

    At the deadline, the trees up to the lowest eval loss count.
    """
    kind = lightgbm.LGBMRegressor if problem.task == "regression" else lightgbm.LGBMClassifier
    defaults = {"n_estimators": MOST_TREES, "learning_rate": _LEARNING_RATE}
    model = kind(
        random_state=problem.seed,
        n_jobs=problem.threads,
        verbosity=-1,
        **{**defaults, **settings},
    )
    train, held_out = problem.splits["train"], problem.splits["eval"]
    started, deadline = time.monotonic(), _Deadline(problem)
    model.fit(
        train.features,
        train.labels,
        eval_X=held_out.features,
        eval_y=held_out.labels,
        callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False), deadline],
    )
    return Contestant(
        problem.predict(model, problem.splits["test"].features),
        time.monotonic() - started,
        loss(problem.task, held_out.labels, problem.predict(model, held_out.features)),
        deadline.is_over,
    )


class _Deadline:
    """Ends a training of LightGBM."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._losses: list[float] = []
        self.is_over = False

    def __call__(self, state: Any) -> None:
        """Raises LightGBM's own exception for an early stop after the deadline."""
        self._losses.append(state.evaluation_result_list[0][2])
        if self._problem.is_late:
            self.is_over = True
            best = int(np.argmin(self._losses))
            raise lightgbm.callback.EarlyStopException(best, state.evaluation_result_list)
