"""Metrics of a binary classification, compared with scikit-learn."""

import math

import numpy as np
import pytest
from sklearn import metrics as sklearn

from components.evaluator.binary import BinaryAccumulator

RANDOM = np.random.default_rng(0)
LABELS = RANDOM.random(5000) < 0.2
PROBABILITIES = np.clip(RANDOM.beta(1, 4, 5000) + 0.25 * LABELS, 0, 1).astype(np.float32)


def test_binary_metrics_equal_those_of_scikit_learn() -> None:
    ours = BinaryAccumulator.from_batch(LABELS.astype(int), PROBABILITIES).metrics(("0", "1"))
    predicted = PROBABILITIES >= 0.5
    expected = {
        "auc": sklearn.roc_auc_score(LABELS, PROBABILITIES),
        "pr_auc": sklearn.average_precision_score(LABELS, PROBABILITIES),
        "accuracy": sklearn.accuracy_score(LABELS, predicted),
        "balanced_accuracy": sklearn.balanced_accuracy_score(LABELS, predicted),
        "precision": sklearn.precision_score(LABELS, predicted),
        "recall": sklearn.recall_score(LABELS, predicted),
        "f1": sklearn.f1_score(LABELS, predicted),
        "log_loss": sklearn.log_loss(LABELS, PROBABILITIES.astype(float)),
        "calibration": PROBABILITIES.mean(dtype=float) / LABELS.mean(),
    }
    assert ours == pytest.approx(expected, abs=1e-3)
    assert ours["auc"] == pytest.approx(expected["auc"], abs=2e-5)


def test_scores_of_a_rare_class_keep_their_order() -> None:
    labels = RANDOM.random(200_000) < 1e-3
    logits = RANDOM.normal(-12, 1, len(labels)) + 1.5 * labels
    probabilities = (1 / (1 + np.exp(-logits))).astype(np.float32)
    ours = BinaryAccumulator.from_batch(labels, probabilities).metrics(("0", "1"))
    assert ours["auc"] == pytest.approx(sklearn.roc_auc_score(labels, probabilities), abs=1e-4)


def test_one_class_alone_has_no_roc_area_and_certain_predictions_have_a_finite_loss() -> None:
    ours = BinaryAccumulator.from_batch(np.array([1, 1]), np.array([1.0, 0.0])).metrics(("0", "1"))
    assert math.isnan(ours["auc"])
    assert ours["pr_auc"] == 1
    assert 8 < ours["log_loss"] < 9
