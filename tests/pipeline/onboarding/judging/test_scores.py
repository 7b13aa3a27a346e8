"""Metrics on held-out rows, and how certain they are."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

from pipeline.onboarding.judging.scores import (
    Score,
    compute_gate,
    compute_metric,
    summarize_folds,
)

RANDOM = np.random.default_rng(11)


def test_auc_agrees_with_scikit_learn():
    label = RANDOM.integers(0, 2, 500)
    scores = (label + RANDOM.normal(size=500)).round(1)
    expected = roc_auc_score(label, scores)
    assert compute_metric("binary", label[:, None], scores[:, None]) == pytest.approx(expected)


def test_macro_f1_agrees_with_scikit_learn():
    actual, predicted = RANDOM.integers(0, 5, (2, 300))
    expected = f1_score(actual, predicted, average="macro")
    one_hot = np.eye(6)  # The sixth class neither occurs nor is predicted.
    found = compute_gate("macro_f1", one_hot[actual], one_hot[predicted])
    assert found == pytest.approx(expected)


def test_no_constant_removes_any_of_the_absolute_error():
    values = np.exp(RANDOM.normal(size=(400, 1)))
    constants = np.quantile(values, [0.1, 0.4, 0.5, 0.6, 0.9])
    removed = [compute_gate("mae", values, np.full_like(values, c)) for c in constants]
    assert max(removed) <= 1e-12
    assert compute_gate("mae", values, values) == 1


def test_metric_without_a_signal_gives_way_to_one_with_a_signal():
    """Predictions that follow the values, but lie far too high."""
    values = [np.exp(RANDOM.normal(size=(400, 1))) for _ in range(5)]
    high = [(v, v + 3.0) for v in values]
    assert summarize_folds("regression", ("mae", "r2"), high, 2000).metric == "mae"
    near = [(v, np.where(v > 4, v, np.median(v) + 1.3)) for v in values]
    found = summarize_folds("regression", ("mae", "r2"), near, 2000)
    assert (found.metric, found.fold_rows, found.constant_error) == ("r2", 400, None)


def test_certain_skill_needs_many_rows():
    assert Score("binary", 1.0, 0.5, rows=30).certain_skill < 0.95
    assert Score("binary", 1.0, 0.5, rows=3000).certain_skill > 0.99
    assert Score("binary", 0.4, 0.5, rows=3000).skill == 0
