"""Metrics from sums, for which a few numbers suffice."""

import math

import numpy as np
import pytest

from components.predictions.formulas import (
    binary_metrics,
    divide,
    multiclass_metrics,
    regression_metrics,
    to_floats,
)

CONFUSION = np.array([[50.0, 10], [5, 35]])
SCORES = np.array([[50.0, 5], [10, 35]])
SUMS = np.array([44.0, 30.0, 0.0])


def test_a_quotient_by_zero_is_nan() -> None:
    assert divide([1, 1, 0], [4, 0, 0]) == pytest.approx([0.25, math.nan, math.nan], nan_ok=True)


def test_binary_metrics_follow_from_the_confusion_matrix() -> None:
    values = to_floats(binary_metrics(CONFUSION, SCORES, SUMS))
    assert values["accuracy"] == 0.85
    assert values["precision"] == 35 / 45
    assert values["recall"] == 35 / 40
    assert values["f1"] == pytest.approx(2 * 35 / (40 + 45))
    assert values["log_loss"] == 0.3
    assert values["calibration"] == 1.1
    # Of 60 x 40 pairs, 50 x 35 are in order; 50 x 5 and 10 x 35 are ties.
    assert values["auc"] == (50 * 35 + 0.5 * (50 * 5 + 10 * 35)) / (60 * 40)


def test_each_weighting_along_a_leading_axis_has_its_metrics() -> None:
    empty = np.zeros_like(SCORES)
    together = binary_metrics(
        np.stack([CONFUSION, 2 * CONFUSION, 0 * CONFUSION]),
        np.stack([SCORES, 2 * SCORES, empty]),
        np.stack([SUMS, 2 * SUMS, 0 * SUMS]),
    )
    alone = to_floats(binary_metrics(CONFUSION, SCORES, SUMS))
    for name, values in together.items():
        expected = [alone[name], alone[name], math.nan]
        assert values == pytest.approx(expected, nan_ok=True), name


def test_one_undefined_prediction_makes_all_metrics_undefined() -> None:
    invalid = np.array([44.0, 30.0, 1.0])
    assert all(math.isnan(v) for v in binary_metrics(CONFUSION, SCORES, invalid).values())
    counts = np.array([[2.0, 2], [2, 2], [1, 1]])
    assert all(
        math.isnan(v) for v in multiclass_metrics(counts, np.array([1.0, 1]), ("a", "b")).values()
    )
    infinite = np.array([1.0, 1, math.inf])
    assert all(math.isnan(v) for v in regression_metrics(3, 1.0, 2.0, infinite).values())


def test_a_class_that_never_occurs_is_left_out_of_macro_f1() -> None:
    counts = np.array([[4.0, 4, 0], [4, 4, 0], [3, 3, 0]])
    values = to_floats(multiclass_metrics(counts, np.zeros(2), ("a", "b", "never")))
    assert values["accuracy"] == values["macro_f1"] == values["recall[a]"] == 0.75
    assert math.isnan(values["f1[never]"])


def test_regression_metrics_follow_from_sums() -> None:
    values = to_floats(regression_metrics(4, 2.5, 20.0, np.array([12.0, 6, 16])))
    assert values == {"rmse": 2, "mae": 1.5, "calibration": 1.2, "r2": pytest.approx(0.2)}
