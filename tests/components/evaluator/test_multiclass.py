"""Metrics of a multiclass classification, compared with scikit-learn."""

import math

import numpy as np
import pytest
from sklearn import metrics as sklearn

from components.evaluator.multiclass import MulticlassAccumulator

RANDOM = np.random.default_rng(0)
CLASSES = ("red", "green", "blue", "never")
COLORS = RANDOM.integers(0, 3, 3000)
PROBABILITIES = RANDOM.dirichlet((1, 1, 1, 0.2), 3000)
PROBABILITIES[np.arange(3000), COLORS] += 0.3
PROBABILITIES /= PROBABILITIES.sum(axis=1, keepdims=True)


def test_multiclass_metrics_equal_those_of_scikit_learn() -> None:
    ours = MulticlassAccumulator.from_batch(COLORS, PROBABILITIES).metrics(CLASSES)
    predicted = PROBABILITIES.argmax(axis=1)
    labels = range(4)
    assert ours["accuracy"] == sklearn.accuracy_score(COLORS, predicted)
    assert ours["macro_f1"] == pytest.approx(sklearn.f1_score(COLORS, predicted, average="macro"))
    assert ours["log_loss"] == pytest.approx(sklearn.log_loss(COLORS, PROBABILITIES, labels=labels))
    for index, name in enumerate(CLASSES[:3]):
        for metric, score in {
            "precision": sklearn.precision_score,
            "recall": sklearn.recall_score,
            "f1": sklearn.f1_score,
        }.items():
            expected = score(COLORS, predicted, average=None, labels=labels)[index]
            assert ours[f"{metric}[{name}]"] == pytest.approx(expected)
    assert math.isnan(ours["recall[never]"])


def test_macro_f1_leaves_out_a_class_that_never_occurs() -> None:
    ours = MulticlassAccumulator.from_batch(np.array([0, 1]), np.eye(4)[:2]).metrics(CLASSES)
    assert ours["macro_f1"] == 1
