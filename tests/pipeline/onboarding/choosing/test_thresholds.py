"""The threshold that a model must reach to be pushed."""

import numpy as np
import pytest

from pipeline.config import SplitConfig
from pipeline.onboarding.choosing.splits import SplitCounts
from pipeline.onboarding.choosing.thresholds import guess_bound, standard_error_of_auc
from pipeline.onboarding.judging.scores import BaselineScore, Score, compute_metric

RANDOM = np.random.default_rng(11)


def bound_of(task, value, trivial, test_counts, folds=0.02):
    test = np.array(test_counts)
    counts = np.stack([3 * test, test, test])
    score = Score(task, value, trivial, rows=int(counts.sum()))
    return guess_bound(
        BaselineScore(score, value + folds * np.array([-1, 0, 0, 0, 1])),
        SplitCounts(SplitConfig(), counts),
    )


def test_threshold_lies_between_guessing_and_the_baseline():
    for task, trivial, counts in (
        ("binary", 0.5, [800, 200]),
        ("multiclass", 0.4, [400, 300, 300]),
        ("regression", 0.0, [1000]),
    ):
        bound = bound_of(task, 0.8, trivial, counts)
        assert (0.8 + trivial) / 2 < bound.threshold.at_least < 0.8
        assert "three quarters of the way between" in bound.why_bound
        assert not bound.warning


def test_tiny_test_split_lowers_the_threshold():
    bound = bound_of("binary", 0.75, 0.5, [15, 5])
    assert bound.threshold.at_least < 0.5
    assert "a small test split may be hard by chance" in bound.why_bound
    assert bound.threshold.may_worsen_by > 0.1


def test_long_tailed_label_is_judged_by_the_absolute_error(propose, signal):
    table = signal(2000)
    table["y"] = np.exp(2 * np.array(table["x"]) + RANDOM.normal(size=2000)).round(3)
    proposal = propose(table)
    (threshold,) = proposal.config.evaluation.thresholds
    expected = np.abs(table["y"] - table["y"].mean()).mean()
    assert (threshold.metric, threshold.at_least) == ("mae", None)
    assert threshold.at_most == pytest.approx(expected, rel=0.01)
    assert not proposal.warnings


def test_without_a_signal_the_threshold_is_that_of_guessing():
    bound = bound_of("regression", -0.02, 0.0, [30])
    assert bound.threshold.at_least == 0
    assert "quarters of the way" not in bound.why_bound
    assert "a model may miss the threshold" in bound.warning


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_noise_earns_a_warning_and_the_threshold_of_guessing(propose, task):
    labels = {
        "binary": RANDOM.integers(0, 2, 1000),
        "multiclass": RANDOM.integers(0, 4, 1000),
        "regression": RANDOM.normal(size=1000),
    }
    table = {"x": RANDOM.normal(size=1000), "c": RANDOM.integers(0, 5, 1000), "y": labels[task]}
    proposal = propose(table)
    assert any("the columns hardly predict the label" in w for w in proposal.warnings)
    (threshold,) = proposal.config.evaluation.thresholds
    trivial = {"binary": 0.5, "multiclass": 0.25, "regression": 0.0}[task]
    assert threshold.at_least == pytest.approx(trivial, abs=0.03)


def test_standard_error_of_an_auc_is_that_of_repeated_draws():
    def draw():
        label = np.repeat([1, 0], [20, 60])
        scores = label + RANDOM.normal(size=80)
        return compute_metric("binary", label[:, None], scores[:, None])

    draws = [draw() for _ in range(400)]
    assert standard_error_of_auc(float(np.mean(draws)), 20, 60) == pytest.approx(
        np.std(draws), rel=0.2
    )
