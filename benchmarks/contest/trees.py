"""The measure: boosted trees as one would use them, stopped early by the same split as ours.

Both libraries handle missing values and categories themselves. On classes of a handful of rows
their defaults can break down, so that each is fitted with careful settings as well, and the fit
with the lower loss on the eval split is the one that counts.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from benchmarks.contest.metrics import Answers, loss
from benchmarks.contest.rows import Split

Splits = Mapping[str, Split]

_MOST_TREES = 3000
_PATIENCE = 50
_LEARNING_RATE = 0.05
_TREES_OF_HIST = 300
_LEARNING_RATE_OF_HIST = 0.1
"""scikit-learn 1.5 cannot stop by a split of ours: the best number of trees is found afterwards."""
_THREADS = 1
"""Threads that wait for each other burn a shared machine; the seconds are those of one core."""
_MOST_CATEGORIES = 254
"""scikit-learn's limit for one column is 255."""
_LIGHTGBM: tuple[dict[str, float], ...] = ({}, {"min_child_samples": 100, "cat_smooth": 50})
_HIST: tuple[dict[str, float], ...] = ({}, {"min_samples_leaf": 100, "l2_regularization": 1.0})


@dataclass(frozen=True)
class Contestant:
    """What a model answers on the test rows, and what it took to get there."""

    answers: Answers
    seconds: float
    eval_loss: float


Fit = Callable[[Splits, str, int, int], Contestant]
"""From the splits, the task, the number of classes and a seed."""


def fit_lightgbm(splits: Splits, task: str, classes: int, seed: int) -> Contestant:
    """The better of two settings, stopped early."""
    return _best(_one_lightgbm, _LIGHTGBM, splits, task, classes, seed)


def fit_hist(splits: Splits, task: str, classes: int, seed: int) -> Contestant:
    """scikit-learn's HistGradientBoosting: the better of two settings, stopped early."""
    merged = _with_few_categories(splits)
    return _best(_one_hist, _HIST, merged, task, classes, seed)


def _best(fit: Callable[..., Contestant], settings: Any, *arguments: Any) -> Contestant:
    with threadpool_limits(_THREADS):
        fits = [fit(*arguments, several) for several in settings]
    # Its seconds are those of one fit: whoever uses trees settles for some settings.
    return min(fits, key=lambda contestant: contestant.eval_loss)


def _one_lightgbm(
    splits: Splits, task: str, classes: int, seed: int, settings: Mapping[str, float]
) -> Contestant:
    kind = lightgbm.LGBMRegressor if task == "regression" else lightgbm.LGBMClassifier
    model = kind(
        n_estimators=_MOST_TREES,
        learning_rate=_LEARNING_RATE,
        random_state=seed,
        n_jobs=_THREADS,
        verbosity=-1,
        **settings,
    )
    train, held_out = splits["train"], splits["eval"]
    started = time.monotonic()
    model.fit(
        train.features,
        train.labels,
        eval_X=held_out.features,
        eval_y=held_out.labels,
        callbacks=[lightgbm.early_stopping(_PATIENCE, verbose=False)],
    )
    return Contestant(
        _answers(model, splits["test"].features, task, classes),
        time.monotonic() - started,
        loss(task, held_out.labels, _answers(model, held_out.features, task, classes)),
    )


def _one_hist(
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
        for answers in _staged(model, held_out.features, task, classes)
    ]
    best = int(np.argmin(losses))
    stages = _staged(model, splits["test"].features, task, classes)
    found = next(itertools.islice(stages, best, None))
    return Contestant(found, time.monotonic() - started, losses[best])


def _staged(model: Any, features: pd.DataFrame, task: str, classes: int) -> Iterator[Answers]:
    """The answers with one tree, with two, and so on."""
    if task == "regression":
        yield from model.staged_predict(features)
        return
    for found in model.staged_predict_proba(features):
        yield _probabilities(model, found, task, classes)


def _answers(model: Any, features: pd.DataFrame, task: str, classes: int) -> Answers:
    if task == "regression":
        return np.asarray(model.predict(features), np.float64)
    return _probabilities(model, np.asarray(model.predict_proba(features)), task, classes)


def _probabilities(model: Any, found: Answers, task: str, classes: int) -> Answers:
    """The second class's [rows], or all classes' [rows, classes]."""
    # A class without a training row has no column.
    probabilities = np.zeros((len(found), classes))
    probabilities[:, np.asarray(model.classes_, int)] = found
    return probabilities[:, 1] if task == "binary" else probabilities


def _with_few_categories(splits: Splits) -> dict[str, Split]:
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
