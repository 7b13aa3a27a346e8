"""The figures of a binary classification."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import auc, confusion_matrix

from components.model_figures.binary import describe_binary

RANDOM = np.random.default_rng(0)
CLASSES = ("no", "yes")


def test_scores_that_equal_a_threshold_count_as_positive() -> None:
    scores = RANDOM.integers(0, 101, 1000) / 100
    labels = (RANDOM.random(1000) < scores).astype(int)
    rows = {r.threshold: r for r in describe_binary(labels, scores, None, CLASSES).thresholds}
    assert list(rows) == sorted(rows)
    for threshold in (0.01, 0.5, 0.99):
        tn, fp, fn, tp = confusion_matrix(labels, scores.astype(float) >= threshold).ravel()
        row = rows[threshold]
        assert (row.true_negatives, row.false_positives) == (tn, fp)
        assert (row.false_negatives, row.true_positives) == (fn, tp)


def test_a_rare_class_has_thresholds_among_its_scores() -> None:
    scores = RANDOM.random(5000) * 1e-3
    found = describe_binary((scores > 9e-4).astype(int), scores, None, CLASSES)
    low = [row for row in found.thresholds if row.threshold < 0.01]
    assert len(low) >= 5
    assert low[0].threshold < 6e-4
    assert low[1].true_positives > 0


def test_scores_are_counted_by_class() -> None:
    found = describe_binary(np.array([0, 0, 1]), np.array([0.0, 0.1, 1.0]), None, CLASSES)
    assert {name: sum(counts) for name, counts in found.scores.counts.items()} == {
        "no": 2,
        "yes": 1,
    }
    assert found.scores.counts["yes"][-1] == 1
    assert found.served_roc is None


def test_the_served_model_has_its_own_curves() -> None:
    scores = RANDOM.random(200)
    labels = (scores > 0.5).astype(int)
    found = describe_binary(labels, scores, 1 - scores, CLASSES)
    assert auc(found.roc.x, found.roc.y) == pytest.approx(1)
    assert auc(found.served_roc.x, found.served_roc.y) == pytest.approx(0)
    assert len(found.served_precision_recall.x) > 0


@pytest.mark.parametrize(
    ("labels", "scores"),
    [([1], [0.5]), ([0, 0], [0.1, 0.2]), ([0, 1], [np.nan, np.nan]), ([0, 1, 0], [0.3] * 3),
     ([-1, 1], [0.2, 0.9])],
)  # fmt: skip
def test_degenerate_rows_have_figures(labels: list[int], scores: list[float]) -> None:
    found = describe_binary(np.array(labels), np.array(scores, np.float32), None, CLASSES)
    assert len(found.thresholds) >= 99
    usable = sum(label >= 0 and score == score for label, score in zip(labels, scores))
    assert sum(b.examples for b in found.calibration) == usable
