"""The metrics of predictions, against those of scikit-learn."""

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

from benchmarks.contest.metrics import calibration_error, measure


def some_answers() -> tuple[np.ndarray, np.ndarray]:
    """Returns labels of two classes, and rounded probabilities, so that many of them are equal."""
    generator = np.random.default_rng(0)
    labels = generator.integers(2, size=1000)
    return labels, np.round(1 / (1 + np.exp(-labels - 1.5 * generator.normal(size=1000))), 2)


def test_the_metrics_equal_those_of_scikit_learn() -> None:
    labels, answers = some_answers()
    both = np.stack([1 - answers, answers], axis=1)
    found = measure("binary", labels, answers)
    assert found["auc"] == pytest.approx(sklearn_metrics.roc_auc_score(labels, answers))
    assert found["log_loss"] == pytest.approx(sklearn_metrics.log_loss(labels, both))
    assert measure("multiclass", labels, both)["log_loss"] == found["log_loss"]
    assert measure("regression", labels, answers) == {
        "rmse": pytest.approx(np.sqrt(sklearn_metrics.mean_squared_error(labels, answers)))
    }


def test_the_calibration_error_is_the_gap_between_probability_and_share() -> None:
    labels = np.tile([1, 1, 1, 0], 150)
    assert calibration_error(labels, np.full(600, 0.75)) == pytest.approx(0)
    assert calibration_error(labels, np.full(600, 0.95)) == pytest.approx(0.2)


def test_the_calibration_error_of_more_classes_regards_the_most_probable_class() -> None:
    answers = np.tile([0.1, 0.6, 0.3], (600, 1))
    labels = np.tile([1, 1, 2, 0], 150)
    assert calibration_error(labels, answers) == pytest.approx(0.1)


def test_the_calibration_error_of_fewer_rows_than_bins_is_finite() -> None:
    assert calibration_error(np.array([0, 1, 1]), np.array([0.25, 1.0, 0.5])) == pytest.approx(0.25)
