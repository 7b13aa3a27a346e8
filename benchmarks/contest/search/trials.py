"""One fit of CatBoost that ends at a deadline."""

from __future__ import annotations

import functools
import importlib
import sys
import time
from collections.abc import Mapping
from typing import Any

import pandas as pd

from benchmarks.contest.metrics import loss
from benchmarks.contest.rivals.fixed import MOST_TREES, PATIENCE
from benchmarks.contest.rivals.problem import Contestant, Problem
from benchmarks.measuring.process import ROOT

PACKAGES = ROOT / "build/rivals"
"""The directory to which `make bench-quality` unpacks the rivals that this project does not use."""
_LOSSES = {"binary": "Logloss", "multiclass": "MultiClass", "regression": "RMSE"}


def fit_catboost(problem: Problem, settings: Mapping[str, float]) -> Contestant:
    """Fits CatBoost; at the deadline, the trees up to the lowest eval loss count."""
    splits, started = problem.splits, time.monotonic()
    frames = {name: _name_missing(split.features) for name, split in splits.items()}
    deadline = _Deadline(problem)
    model = _make_catboost(problem, list(frames["train"].select_dtypes(object)), settings)
    model.fit(
        frames["train"],
        splits["train"].labels,
        eval_set=(frames["eval"], splits["eval"].labels),
        callbacks=[deadline],
    )
    found = {name: problem.predict(model, frames[name]) for name in ("eval", "test")}
    eval_loss = loss(problem.task, splits["eval"].labels, found["eval"])
    return Contestant(found["test"], time.monotonic() - started, eval_loss, deadline.is_met)


class _Deadline:
    """Ends a training of CatBoost."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self.is_met = False
        """Whether the deadline ended the training."""

    def after_iteration(self, info: Any) -> bool:
        """Returns whether the training goes on."""
        self.is_met = self._problem.is_late
        return not self.is_met


def _make_catboost(problem: Problem, names: list[str], settings: Mapping[str, float]) -> Any:
    catboost = _load_catboost()
    chosen = {
        "loss_function": _LOSSES[problem.task],
        "iterations": MOST_TREES,
        "early_stopping_rounds": PATIENCE,
        "cat_features": names,
        "random_seed": problem.seed,
        "thread_count": problem.threads,
        "allow_writing_files": False,
        "verbose": False,
        **settings,
    }
    if problem.task == "regression":
        return catboost.CatBoostRegressor(**chosen)
    return catboost.CatBoostClassifier(**chosen, class_names=list(range(problem.classes)))


@functools.cache
def _load_catboost() -> Any:
    sys.path.append(str(PACKAGES))
    return importlib.import_module("catboost")


def _name_missing(features: pd.DataFrame) -> pd.DataFrame:
    """Returns the categories as texts; CatBoost takes no missing ones."""
    names = list(features.select_dtypes("category"))
    texts = features[names].astype(object)
    return features.assign(**texts.where(texts.notna(), "missing"))
