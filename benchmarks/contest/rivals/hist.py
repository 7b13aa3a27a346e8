"""Fits scikit-learn's HistGradientBoosting, stopped early on the eval split.

scikit-learn 1.5 cannot stop early on a given split. So the fit goes on in portions of trees
(`warm_start`) until the eval loss no longer falls. The trees are those of a single fit.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from benchmarks.contest.metrics import Answers, loss
from benchmarks.contest.rivals.problem import Contestant, Problem, align_classes
from benchmarks.contest.rows import Split

_TREES = 300
"""The most trees: fewer than for LightGBM, with a higher learning rate, since every portion costs
the predictions of all trees before it."""
_PORTION = 25
_PATIENCE = 2
"""Portions without a lower eval loss that end a fit: 50 trees, as for LightGBM."""
_LEARNING_RATE = 0.1
_MOST_CATEGORIES = 254
"""The most categories of a column; scikit-learn's limit of 255 counts one more."""


def fit_one_hist(problem: Problem, settings: Mapping[str, float]) -> Contestant:
    """Fits trees until the eval loss no longer falls; `settings` replace the defaults.

    The trees up to the lowest eval loss count, also at the deadline.
    """
    started = time.monotonic()
    model = _make_model(problem, settings)
    is_cut = _fit_portions(model, problem)
    held_out = problem.splits["eval"]
    losses = [
        loss(problem.task, held_out.labels, answers)
        for answers in _predict_stages(model, held_out.features, problem)
    ]
    best = int(np.argmin(losses))
    stages = _predict_stages(model, problem.splits["test"].features, problem)
    found = next(itertools.islice(stages, best, None))
    return Contestant(found, time.monotonic() - started, losses[best], is_cut)


def _make_model(problem: Problem, settings: Mapping[str, float]) -> Any:
    is_number = problem.task == "regression"
    kind = HistGradientBoostingRegressor if is_number else HistGradientBoostingClassifier
    return kind(
        learning_rate=_LEARNING_RATE,
        categorical_features="from_dtype",
        early_stopping=False,
        random_state=problem.seed,
        warm_start=True,
        **settings,
    )


def _fit_portions(model: Any, problem: Problem) -> bool:
    """Adds trees until the eval loss no longer falls; returns whether the deadline came first."""
    train, held_out = problem.splits["train"], problem.splits["eval"]
    losses: list[float] = []
    for trees in range(_PORTION, _TREES + 1, _PORTION):
        model.set_params(max_iter=trees)
        model.fit(train.features, train.labels)
        answers = problem.predict(model, held_out.features)
        losses.append(loss(problem.task, held_out.labels, answers))
        if len(losses) - 1 - int(np.argmin(losses)) >= _PATIENCE:
            return False
        if problem.is_late:
            return True
    return False


def _predict_stages(model: Any, features: pd.DataFrame, problem: Problem) -> Iterator[Answers]:
    """Yields the predictions of the first tree, of the first two trees, and so on."""
    if problem.task == "regression":
        yield from model.staged_predict(features)
        return
    for found in model.staged_predict_proba(features):
        yield align_classes(model.classes_, found, problem.task, problem.classes)


def merge_rare_categories(problem: Problem) -> Problem:
    """Merges rare categories, so that no column has more than `_MOST_CATEGORIES`."""
    frames = {name: split.features.copy() for name, split in problem.splits.items()}
    for column in frames["train"].select_dtypes("category"):
        counts = frames["train"][column].value_counts()
        if len(counts) <= _MOST_CATEGORIES:
            continue
        kept = counts.index[: _MOST_CATEGORIES - 1].tolist()
        for frame in frames.values():
            texts = frame[column].astype(object)
            texts = texts.where(texts.isin(kept) | texts.isna(), "other categories")
            frame[column] = pd.Categorical(texts, [*kept, "other categories"])
    splits = {name: Split(frames[name], split.labels) for name, split in problem.splits.items()}
    return replace(problem, splits=splits)
