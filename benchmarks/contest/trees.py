"""Fits boosted trees with the settings that most users take, stopped early on the eval split.

Both libraries handle missing values and categories themselves. With classes of a few rows, their
defaults can fail. Each library is therefore also fitted with careful settings, and the fit with the
lower loss on the eval split counts.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from benchmarks.contest.metrics import Answers, loss
from benchmarks.contest.rows import Split
from trainer_module.trees.library import lightgbm

Splits = Mapping[str, Split]

MOST_TREES = 3000
"""Far more than early stopping lets a library use."""
PATIENCE = 50
"""LightGBM and CatBoost stop after so many trees without a lower eval loss."""
_LEARNING_RATE = 0.05
_TREES_OF_HIST = 300
"""scikit-learn 1.5 cannot stop early on a given split. `_fit_one_hist` fits all trees and then
chooses their best number. Hence fewer trees than for LightGBM, with a higher learning rate."""
_LEARNING_RATE_OF_HIST = 0.1
_THREADS = 1
"""More threads would wait for each other on a shared machine; the seconds are those of one core."""
_MOST_CATEGORIES = 254
"""The most categories of a column; scikit-learn's limit of 255 counts one more."""
_LIGHTGBM: tuple[dict[str, float], ...] = ({}, {"min_child_samples": 100, "cat_smooth": 50})
_HIST: tuple[dict[str, float], ...] = ({}, {"min_samples_leaf": 100, "l2_regularization": 1.0})


@dataclass(frozen=True)
class Contestant:
    """The predictions of one fit for the test rows, and its cost."""

    answers: Answers
    seconds: float
    """The wall time of the fit and the predictions."""
    eval_loss: float


Fit = Callable[[Splits, str, int, int], Contestant]
"""A function of the splits, the task, the number of classes and a seed."""


def fit_lightgbm(splits: Splits, task: str, classes: int, seed: int) -> Contestant:
    """Fits LightGBM with two settings and early stopping, and returns the better fit."""
    return _fit_best(fit_one_lightgbm, _LIGHTGBM, splits, task, classes, seed)


def fit_hist(splits: Splits, task: str, classes: int, seed: int) -> Contestant:
    """Fits scikit-learn's HistGradientBoosting with two settings, and returns the better fit."""
    merged = _merge_rare_categories(splits)
    return _fit_best(_fit_one_hist, _HIST, merged, task, classes, seed)


def _fit_best(fit: Callable[..., Contestant], settings: Any, *arguments: Any) -> Contestant:
    with threadpool_limits(_THREADS):
        fits = [fit(*arguments, each) for each in settings]
    # The seconds are those of one fit only: a user of trees would know the settings.
    return min(fits, key=lambda contestant: contestant.eval_loss)


def fit_one_lightgbm(
    splits: Splits,
    task: str,
    classes: int,
    seed: int,
    settings: Mapping[str, float],
    threads: int = _THREADS,
    callbacks: Sequence[Callable[[Any], None]] = (),
) -> Contestant:
    """Fits LightGBM with early stopping; `settings` replace the defaults."""
    kind = lightgbm.LGBMRegressor if task == "regression" else lightgbm.LGBMClassifier
    defaults = {"n_estimators": MOST_TREES, "learning_rate": _LEARNING_RATE}
    model = kind(random_state=seed, n_jobs=threads, verbosity=-1, **{**defaults, **settings})
    train, held_out = splits["train"], splits["eval"]
    started = time.monotonic()
    model.fit(
        train.features,
        train.labels,
        eval_X=held_out.features,
        eval_y=held_out.labels,
        callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False), *callbacks],
    )
    return Contestant(
        _predict(model, splits["test"].features, task, classes),
        time.monotonic() - started,
        loss(task, held_out.labels, _predict(model, held_out.features, task, classes)),
    )


def _fit_one_hist(
    splits: Splits, task: str, classes: int, seed: int, settings: Mapping[str, float]
) -> Contestant:
    kind = HistGradientBoostingClassifier
    if task == "regression":
        kind = HistGradientBoostingRegressor
    model = kind(
        max_iter=_TREES_OF_HIST,
        learning_rate=_LEARNING_RATE_OF_HIST,
        categorical_features="from_dtype",
        early_stopping=False,
        random_state=seed,
        **settings,
    )
    train, held_out = splits["train"], splits["eval"]
    started = time.monotonic()
    model.fit(train.features, train.labels)
    losses = [
        loss(task, held_out.labels, answers)
        for answers in _predict_stages(model, held_out.features, task, classes)
    ]
    best = int(np.argmin(losses))
    stages = _predict_stages(model, splits["test"].features, task, classes)
    found = next(itertools.islice(stages, best, None))
    return Contestant(found, time.monotonic() - started, losses[best])


def _predict_stages(
    model: Any, features: pd.DataFrame, task: str, classes: int
) -> Iterator[Answers]:
    """Yields the predictions of the first tree, of the first two trees, and so on."""
    if task == "regression":
        yield from model.staged_predict(features)
        return
    for found in model.staged_predict_proba(features):
        yield align_classes(model.classes_, found, task, classes)


def _predict(model: Any, features: pd.DataFrame, task: str, classes: int) -> Answers:
    if task == "regression":
        return np.asarray(model.predict(features), np.float64)
    return align_classes(model.classes_, model.predict_proba(features), task, classes)


def align_classes(known: Any, found: Any, task: str, classes: int) -> Answers:
    """Returns probabilities of the second class, [rows], or of all classes, [rows, classes].

    Args:
      known: the classes of the columns of `found`. A model has no column for a class without a
        training row; such a class gets probability 0.
    """
    probabilities = np.zeros((len(found), classes))
    probabilities[:, np.asarray(known, int)] = found
    return probabilities[:, 1] if task == "binary" else probabilities


def _merge_rare_categories(splits: Splits) -> dict[str, Split]:
    """Merges rare categories, so that no column has more than `_MOST_CATEGORIES`."""
    frames = {name: split.features.copy() for name, split in splits.items()}
    for column in frames["train"].select_dtypes("category"):
        counts = frames["train"][column].value_counts()
        if len(counts) <= _MOST_CATEGORIES:
            continue
        kept = counts.index[: _MOST_CATEGORIES - 1].tolist()
        for frame in frames.values():
            texts = frame[column].astype(object)
            texts = texts.where(texts.isin(kept) | texts.isna(), "other categories")
            frame[column] = pd.Categorical(texts, [*kept, "other categories"])
    return {name: Split(frames[name], split.labels) for name, split in splits.items()}
