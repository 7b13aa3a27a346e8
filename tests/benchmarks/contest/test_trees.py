"""The rivals learn, also where their defaults could fail."""

import time
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from benchmarks.contest import trees
from benchmarks.contest.metrics import loss
from benchmarks.contest.rows import Split
from benchmarks.contest.search import trials
from benchmarks.contest.search.loop import Problem

CLASSES = 6


@pytest.fixture(scope="module")
def splits() -> dict[str, Split]:
    """One column of names determines six classes: two of hundreds of rows, four of a few rows."""
    generator = np.random.default_rng(0)
    labels = np.concatenate([generator.integers(2, size=600), np.tile(np.arange(2, 6), 12)])
    names = np.array([f"town {label}" for label in labels])
    noise = generator.normal(size=len(labels))
    order = generator.permutation(len(labels))
    frame = pd.DataFrame({"noise": noise[order], "town": pd.Categorical(names[order])})
    parts = {"train": slice(0, 400), "eval": slice(400, 500), "test": slice(500, None)}
    return {n: Split(frame[part], labels[order][part]) for n, part in parts.items()}


def loss_of_shares(splits: dict[str, Split]) -> float:
    """Returns the loss of a model that predicts the share of each class for all rows."""
    shares = np.bincount(splits["train"].labels, minlength=CLASSES) / 400
    labels = splits["test"].labels
    return loss("multiclass", labels, np.tile(shares, (len(labels), 1)))


def search_lightgbm(
    splits: dict[str, Split], task: str, classes: int, seed: int
) -> trees.Contestant:
    problem = Problem(splits, task, classes, seed, time.monotonic() + 60, 1)
    return trials.fit_lightgbm(problem, {"min_child_samples": 5, "cat_smooth": 1})


@pytest.mark.parametrize("fit", [trees.fit_lightgbm, trees.fit_hist, search_lightgbm])
def test_trees_learn_categories_even_with_classes_of_few_rows(
    fit: Callable[..., trees.Contestant], splits: dict[str, Split]
) -> None:
    found = fit(splits, "multiclass", CLASSES, 0)
    assert loss("multiclass", splits["test"].labels, found.answers) < 0.5 * loss_of_shares(splits)
    assert 0 < found.seconds < 60


def test_lightgbm_adds_no_tree_after_the_deadline(splits: dict[str, Split]) -> None:
    late = Problem(splits, "multiclass", CLASSES, 0, time.monotonic(), 1)
    short = trials.fit_lightgbm(late, {})
    single = trees.fit_one_lightgbm(splits, "multiclass", CLASSES, 0, {"n_estimators": 1})
    np.testing.assert_allclose(short.answers, single.answers, atol=1e-6)
