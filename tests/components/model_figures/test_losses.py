"""The mean loss is the Evaluator's metric."""

from __future__ import annotations

import numpy as np
import pytest

from components.model_figures.losses import probabilities_of_labels, row_losses
from components.predictions.metrics import metrics

RANDOM = np.random.default_rng(0)


def test_the_mean_equals_the_metric() -> None:
    p = RANDOM.random(100).astype(np.float32)
    p[0], p[1] = 0, 1
    y = RANDOM.integers(0, 2, 100)
    assert row_losses("binary", y, p).mean() == pytest.approx(
        metrics(y, p, "binary", ("a", "b"))["log_loss"]
    )
    many = RANDOM.dirichlet(np.ones(3), 100).astype(np.float32)
    y = RANDOM.integers(0, 3, 100)
    assert row_losses("multiclass", y, many).mean() == pytest.approx(
        metrics(y, many, "multiclass", ("a", "b", "c"))["log_loss"], rel=1e-5
    )
    assert row_losses("regression", y.astype(float), p).mean() == pytest.approx(
        metrics(y.astype(float), p, "regression", ())["mae"]
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_prediction_that_is_not_finite_has_no_loss(bad: float) -> None:
    assert np.isnan(row_losses("binary", np.array([1]), np.array([bad])))
    assert np.isnan(row_losses("regression", np.array([1.0]), np.array([bad])))
    assert np.isnan(row_losses("multiclass", np.array([1]), np.array([[bad, 0.5, 0.5]])))


def test_a_label_that_is_no_class_has_no_loss() -> None:
    assert np.isnan(row_losses("binary", np.array([-1]), np.array([0.4])))
    assert np.isnan(probabilities_of_labels("multiclass", np.array([-1]), np.eye(3)[:1]))
