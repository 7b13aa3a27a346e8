"""Our metrics against scikit-learn's."""

import math

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, precision_score, r2_score

from components.evaluator.metrics import argmax_score, merge_moments


@pytest.fixture
def predictions() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    actual = random.integers(0, 4, 200)
    return actual, np.where(random.random(200) < 0.6, actual, random.integers(0, 4, 200))


def test_scores_of_the_most_probable_class(predictions: tuple[np.ndarray, np.ndarray]) -> None:
    actual, predicted = predictions
    confusion = confusion_matrix(actual, predicted, labels=range(4)).astype(float)
    assert argmax_score(confusion, "accuracy", None) == accuracy_score(actual, predicted)
    precisions = precision_score(actual, predicted, average=None)
    for class_id in range(4):
        assert argmax_score(confusion, "precision", class_id) == pytest.approx(precisions[class_id])
    macro = f1_score(actual, predicted, average="macro")
    assert argmax_score(confusion, "f1", None) == pytest.approx(macro)


def test_a_class_that_never_occurs_has_no_score_and_does_not_count() -> None:
    confusion = np.array([[3.0, 0, 0], [1, 2, 0], [0, 0, 0]])
    assert math.isnan(argmax_score(confusion, "recall", 2))
    assert argmax_score(confusion, "recall", None) == pytest.approx((1 + 2 / 3) / 2)


def test_r_squared_is_stable_for_large_labels() -> None:
    random = np.random.default_rng(1)
    label = 1e8 + random.normal(size=100)
    prediction = label + random.normal(scale=0.5, size=100)
    moments = (0.0, 0.0, 0.0, 0.0)
    for y, p in zip(label, prediction, strict=True):
        moments = merge_moments(moments, (1.0, y, 0.0, (y - p) ** 2))
    assert 1 - moments[3] / moments[2] == pytest.approx(r2_score(label, prediction), rel=1e-6)
