"""Metrics of a regression, compared with scikit-learn."""

import operator
from functools import reduce

import numpy as np
import pytest
from sklearn import metrics as sklearn

from components.evaluator.regression import RegressionAccumulator


def test_regression_metrics_equal_those_of_scikit_learn_for_large_labels_too() -> None:
    random = np.random.default_rng(0)
    labels = 1e8 + random.normal(size=1000)
    predictions = labels + random.normal(scale=0.5, size=1000)
    parts = [
        RegressionAccumulator.from_batch(labels[rows], predictions[rows])
        for rows in np.array_split(np.arange(1000), 7)
    ]
    ours = reduce(operator.add, parts).metrics(())
    assert ours["r2"] == pytest.approx(sklearn.r2_score(labels, predictions), rel=1e-6)
    assert ours["mae"] == pytest.approx(sklearn.mean_absolute_error(labels, predictions))
    assert ours["rmse"] ** 2 == pytest.approx(sklearn.mean_squared_error(labels, predictions))
    assert ours["calibration"] == pytest.approx(1)
