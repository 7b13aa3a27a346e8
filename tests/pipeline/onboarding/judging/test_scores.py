"""Metrics on held-out rows, and how certain they are."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from pipeline.onboarding.judging.scores import Score, compute_metric

RANDOM = np.random.default_rng(11)


def test_auc_agrees_with_scikit_learn():
    label = RANDOM.integers(0, 2, 500)
    scores = (label + RANDOM.normal(size=500)).round(1)
    expected = roc_auc_score(label, scores)
    assert compute_metric("binary", label[:, None], scores[:, None]) == pytest.approx(expected)


def test_certain_skill_needs_many_rows():
    assert Score("binary", 1.0, 0.5, rows=30).certain_skill < 0.95
    assert Score("binary", 1.0, 0.5, rows=3000).certain_skill > 0.99
    assert Score("binary", 0.4, 0.5, rows=3000).skill == 0
