"""Fits TF-IDF with a linear model: what a user of scikit-learn tries first on free text."""

from __future__ import annotations

import time
from typing import Any

import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.contest.metrics import loss
from benchmarks.contest.rivals.fixed import LEAST_SECONDS
from benchmarks.contest.rivals.problem import Contestant, Problem

_STRENGTHS = (1.0, 10.0, 100.0, 0.1, 1000.0)
"""The values of C, of which the eval loss chooses one: those that win most often first, since the
deadline may leave out the last ones. For numbers, they are 1 / alpha."""
_MOST_STEPS = 1000


def fit_text(problem: Problem, seconds: float) -> Contestant:
    """Fits logistic regression to words, pairs of words and all other columns.

    A label that is a number gets ridge regression.
    """
    started, problem = time.monotonic(), problem.end_in(max(seconds, LEAST_SECONDS))
    frames = {name: split.raw for name, split in problem.splits.items()}
    assert frames["train"] is not None, "the table has a text"
    encoder = _make_encoder(frames["train"])
    encoder.fit(frames["train"])
    encoded = {name: encoder.transform(frame) for name, frame in frames.items()}
    held_out, fits = problem.splits["eval"], []
    for strength in _STRENGTHS:
        model = _make_model(problem, strength)
        model.fit(encoded["train"], problem.splits["train"].labels)
        eval_loss = loss(problem.task, held_out.labels, problem.predict(model, encoded["eval"]))
        fits.append((eval_loss, model))
        if problem.is_late:
            break
    eval_loss, best = min(fits, key=lambda fit: fit[0])
    answers = problem.predict(best, encoded["test"])
    return Contestant(answers, time.monotonic() - started, eval_loss, len(fits) < len(_STRENGTHS))


def _make_encoder(raw: pd.DataFrame) -> Any:
    categories = list(raw.select_dtypes("category"))
    numbers = list(raw.select_dtypes("number"))
    texts = [name for name in raw if name not in (*categories, *numbers)]
    # As floats, scikit-learn takes columns of booleans and of missing numbers alike.
    scaler = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    parts = [
        ("categories", OneHotEncoder(handle_unknown="ignore"), categories),
        ("numbers", scaler, numbers),
        *((name, TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), name) for name in texts),
    ]
    return ColumnTransformer(parts, sparse_threshold=1.0)


def _make_model(problem: Problem, strength: float) -> Any:
    if problem.task == "regression":
        return Ridge(alpha=1 / strength)
    return LogisticRegression(C=strength, max_iter=_MOST_STEPS)
