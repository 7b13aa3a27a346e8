"""The rivals learn, also where their defaults could fail, and end in time."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from benchmarks.contest.metrics import loss
from benchmarks.contest.rivals import fixed, hist
from benchmarks.contest.rivals.problem import Contestant, Problem
from benchmarks.contest.rows import Split

CLASSES = 6


@pytest.fixture(scope="module")
def problem() -> Problem:
    """One column of names determines six classes: two of hundreds of rows, four of a few rows."""
    generator = np.random.default_rng(0)
    labels = np.concatenate([generator.integers(2, size=600), np.tile(np.arange(2, 6), 12)])
    names = np.array([f"town {label}" for label in labels])
    noise = generator.normal(size=len(labels))
    order = generator.permutation(len(labels))
    frame = pd.DataFrame({"noise": noise[order], "town": pd.Categorical(names[order])})
    parts = {"train": slice(0, 400), "eval": slice(400, 500), "test": slice(500, None)}
    splits = {n: Split(frame[part], labels[order][part]) for n, part in parts.items()}
    return Problem(splits, "multiclass", CLASSES, 0, 1)


def loss_of_shares(problem: Problem) -> float:
    """Returns the loss of a model that predicts the share of each class for all rows."""
    shares = np.bincount(problem.splits["train"].labels, minlength=CLASSES) / 400
    labels = problem.splits["test"].labels
    return loss("multiclass", labels, np.tile(shares, (len(labels), 1)))


def fit_searched(problem: Problem, seconds: float) -> Contestant:
    settings = {"min_child_samples": 5, "cat_smooth": 1}
    return fixed.fit_one_lightgbm(problem.end_in(seconds), settings)


@pytest.mark.parametrize("fit", [fixed.fit_lightgbm, fixed.fit_hist, fit_searched])
def test_trees_learn_categories_even_with_classes_of_few_rows(
    fit: Callable[[Problem, float], Contestant], problem: Problem
) -> None:
    found = fit(problem, 60)
    labels = problem.splits["test"].labels
    assert loss("multiclass", labels, found.answers) < 0.5 * loss_of_shares(problem)
    assert 0 < found.seconds < 60
    assert not found.is_cut


def test_lightgbm_adds_no_tree_after_the_deadline(problem: Problem) -> None:
    short = fixed.fit_one_lightgbm(problem.end_in(0), {})
    single = fixed.fit_one_lightgbm(problem, {"n_estimators": 1})
    np.testing.assert_allclose(short.answers, single.answers, atol=1e-6)
    assert (short.is_cut, single.is_cut) == (True, False)


def test_hist_adds_no_portion_of_trees_after_the_deadline(problem: Problem) -> None:
    model = hist._make_model(problem, {})
    assert hist._fit_portions(model, problem.end_in(0))
    assert model.n_iter_ == hist._PORTION
    assert hist.fit_one_hist(problem.end_in(0), {}).is_cut


def test_hist_stops_when_the_eval_loss_no_longer_falls(problem: Problem) -> None:
    """Labels without any pattern: each tree makes the eval loss worse."""
    generator = np.random.default_rng(1)
    frame = pd.DataFrame({"noise": generator.normal(size=300)})
    split = Split(frame, generator.integers(2, size=300))
    other = Split(frame[::-1].reset_index(drop=True), split.labels)
    noise = replace(problem, task="binary", splits={"train": split, "eval": other})
    model = hist._make_model(noise, {})
    assert not hist._fit_portions(model, noise)
    assert model.n_iter_ == hist._PORTION * (1 + hist._PATIENCE)


def test_portions_make_the_trees_of_a_single_fit(problem: Problem) -> None:
    train = problem.splits["train"]
    portions, single = hist._make_model(problem, {}), hist._make_model(problem, {})
    for trees in (10, 20, 30):
        portions.set_params(max_iter=trees).fit(train.features, train.labels)
    single.set_params(max_iter=30, warm_start=False).fit(train.features, train.labels)
    features = problem.splits["test"].features
    np.testing.assert_array_equal(portions.predict_proba(features), single.predict_proba(features))
