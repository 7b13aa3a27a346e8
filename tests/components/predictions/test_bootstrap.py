"""Intervals by the bootstrap: how often they hold the true value, and what they cost."""

from __future__ import annotations

import dataclasses
import time

import numpy as np
import pytest
from scipy import stats

from components.predictions.bootstrap import bootstrap
from components.predictions.estimates import Estimate
from components.predictions.table import Predictions
from components.predictions.terms import Array
from pipeline.config import Task

CLASSES: dict[Task, tuple[str, ...]] = {
    "binary": ("no", "yes"),
    "multiclass": ("a", "b", "c"),
    "regression": (),
}


_LONG = (pytest.mark.slow, pytest.mark.long)


def make_predictions(
    task: Task, labels: Array, candidate: Array, served: Array | None = None
) -> Predictions:
    rows = np.arange(len(labels))
    return Predictions(
        task, CLASSES[task], "test", rows, labels, candidate, served, {}, len(labels)
    )


def simulate(task: Task, rows: int, seed: int, noise: float = 1.0) -> Predictions:
    """Draws rows from one population: labels, a candidate, and a served model that is noisier."""
    random = np.random.default_rng(seed)
    signal = random.normal(size=rows)
    if task == "regression":
        signal += 5
        labels = signal + random.normal(size=rows) * noise
        return make_predictions(task, labels, signal, signal + random.normal(size=rows))
    if task == "binary":
        shown = [signal, signal + random.normal(size=rows)]
        labels = (random.random(rows) < 1 / (1 + np.exp(-2 * signal * noise))).astype(int)
        return make_predictions(task, labels, *(1 / (1 + np.exp(-2 * s)) for s in shown))
    logits = random.normal(size=(rows, 3))
    labels = (logits + random.gumbel(size=(rows, 3))).argmax(axis=1)
    others = logits + random.normal(size=(rows, 3))
    return make_predictions(task, labels, *(_softmax(x) for x in (logits, others)))


def _softmax(logits: Array) -> Array:
    odds = np.exp(logits)
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


@pytest.mark.parametrize(
    ("task", "names"),
    [
        ("binary", ["auc", "pr_auc", "accuracy", "recall", "f1", "log_loss", "calibration"]),
        pytest.param("multiclass", ["accuracy", "macro_f1", "recall[b]", "log_loss"], marks=_LONG),
        pytest.param("regression", ["rmse", "mae", "r2"], marks=_LONG),
    ],
)
def test_about_95_of_100_intervals_hold_the_value_of_the_population(
    task: Task, names: list[str]
) -> None:
    population = bootstrap(simulate(task, 400_000, 99_999), replicates=1)
    assert population.difference is not None
    held = {model: dict.fromkeys(names, 0) for model in ("candidate", "difference")}
    samples = 200
    for seed in range(samples):
        # Another seed: the same random numbers would draw rows that depend on the data.
        found = bootstrap(simulate(task, 400, seed), replicates=300, seed=10_000 + seed)
        for model in held:
            for name in names:
                estimate = getattr(found, model)[name]
                truth = getattr(population, model)[name].value
                held[model][name] += estimate.low <= truth <= estimate.high
    shares = {m: {n: count / samples for n, count in c.items()} for m, c in held.items()}
    assert all(0.9 <= s <= 0.99 for counts in shares.values() for s in counts.values()), shares


def test_the_interval_of_an_accuracy_equals_that_of_the_binomial_distribution() -> None:
    right = 900
    labels, scores = np.ones(1000, int), np.r_[np.ones(right), np.zeros(1000 - right)]
    found = bootstrap(make_predictions("binary", labels, scores), replicates=4000)
    low, high = stats.binom(1000, 0.9).ppf([0.025, 0.975]) / 1000
    accuracy = found.candidate["accuracy"]
    assert accuracy.value == 0.9
    assert (accuracy.low, accuracy.high) == pytest.approx((low, high), abs=2e-3)


def test_equal_models_differ_by_exactly_nothing() -> None:
    given = simulate("binary", 500, 0)
    found = bootstrap(dataclasses.replace(given, served=given.candidate))
    assert found.difference is not None
    assert {(e.value, e.low, e.high) for e in found.difference.values()} == {(0, 0, 0)}
    assert found.served == found.candidate


def test_a_sample_has_the_value_of_all_rows_and_an_interval_as_wide_as_that_of_all() -> None:
    given = simulate("regression", 40_000, 0)
    whole = bootstrap(given, most_rows=40_000, replicates=400)
    sample = bootstrap(given, most_rows=4_000, replicates=400)
    assert (sample.examples, sample.bootstrap_examples) == (40_000, 4_000)
    for name, expected in whole.candidate.items():
        found = sample.candidate[name]
        assert found.value == expected.value
        assert _width(found) == pytest.approx(_width(expected), rel=0.25)


def _width(estimate: Estimate) -> float:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.high - estimate.low


def test_an_interval_of_a_slice_comes_from_its_rows_alone() -> None:
    given = simulate("regression", 300, 0)
    rows = np.arange(100, 200)
    alone = make_predictions("regression", given.labels[rows], given.candidate[rows])
    found = bootstrap(given, rows)
    assert found.examples == 100
    assert found.candidate == bootstrap(alone).candidate


def test_the_same_seed_gives_the_same_interval() -> None:
    given = simulate("multiclass", 200, 0)
    assert bootstrap(given, seed=3) == bootstrap(given, seed=3)
    assert bootstrap(given, seed=3) != bootstrap(given, seed=4)


def test_a_metric_that_most_replicates_lack_has_no_interval() -> None:
    labels = np.r_[1, np.zeros(99, int)]
    found = bootstrap(make_predictions("binary", labels, np.linspace(1, 0, 100))).candidate
    assert found["recall"].value == 1
    assert (found["recall"].low, found["recall"].high) == (None, None)
    assert found["accuracy"].low is not None


def test_undefined_predictions_and_no_rows_have_no_estimates() -> None:
    broken = make_predictions("regression", np.zeros(3), np.array([1.0, np.nan, 1.0]))
    for given in (broken, make_predictions("regression", np.empty(0), np.empty(0))):
        assert all(e.value is None for e in bootstrap(given).candidate.values())


@pytest.mark.parametrize("rows", [15_000, 1_000_000])
def test_intervals_of_two_models_take_seconds(rows: int) -> None:
    given = simulate("binary", rows, 0)
    started = time.process_time()
    bootstrap(given)
    assert time.process_time() - started < 15
