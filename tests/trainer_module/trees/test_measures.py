"""LightGBM's metrics under the project's names and in the label's unit."""

from __future__ import annotations

import numpy as np
import pytest

from trainer_module.heads import BinaryHead, RegressionHead
from trainer_module.trees.measures import name_measures


def test_errors_become_accuracies() -> None:
    head = BinaryHead(("a", "b"), np.array([1.0, 1.0]))
    measured = {"binary_logloss": 0.3, "eval_binary_error": 0.25, "eval_auc": 0.9}
    assert name_measures(measured, head) == {
        "loss": 0.3,
        "eval_accuracy": 0.75,
        "eval_auc": 0.9,
    }


def test_errors_of_a_regression_are_in_the_labels_unit() -> None:
    head = RegressionHead(np.array([0.0, 20.0]))
    named = name_measures({"l2": 0.25, "eval_l1": 0.5}, head)
    assert named == pytest.approx({"loss": 0.25, "rmse": 5.0, "eval_mae": 5.0})
    # With weights, the error that counts each row once comes after the loss.
    assert name_measures({"l2": 0.25, "rmse": 0.3}, head) == {"loss": 0.25, "rmse": 3.0}
