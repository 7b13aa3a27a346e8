"""The figures of a regression, also with heavy tails."""

from __future__ import annotations

import numpy as np
import pytest

from components.model_figures.regression import describe_regression

RANDOM = np.random.default_rng(0)


def test_rows_are_counted_by_label_and_prediction() -> None:
    y = RANDOM.normal(size=5000)
    p = y + RANDOM.normal(size=5000) * 0.1
    found = describe_regression(y, p.astype(np.float32))
    counts = np.array(found.predicted_against_true)
    assert counts.shape == (len(found.edges) - 1,) * 2
    assert counts.sum() == sum(found.residuals.counts["all"]) == 5000
    near = sum(np.trace(counts, offset) for offset in (-1, 0, 1))
    assert near > 4500
    assert found.absolute_error_quantiles["50 %"] == pytest.approx(0.067, abs=0.005)


def test_the_residual_is_the_label_minus_the_prediction() -> None:
    found = describe_regression(np.full(9, 3.0), np.full(9, 1.0, np.float32))
    low, high = found.residuals.edges
    assert low < 2 < high


def test_outliers_do_not_hide_the_other_rows() -> None:
    y = RANDOM.normal(size=2000)
    y[0], y[1] = 1e30, -1e30
    found = describe_regression(y, RANDOM.normal(size=2000).astype(np.float32))
    assert max(found.edges) < 10
    assert max(found.residuals.counts["all"]) < 300
    assert sum(found.residuals.counts["all"]) == 2000


def test_deciles_have_a_tenth_of_the_rows_each() -> None:
    p = np.arange(100.0)
    found = describe_regression(p + 1, p.astype(np.float32))
    assert [d.examples for d in found.deciles] == [10] * 10
    assert found.deciles[0].predicted == pytest.approx(4.5)
    assert [d.mean_absolute_error for d in found.deciles] == pytest.approx([1] * 10)
    assert len(describe_regression(p[:3], p[:3]).deciles) == 3


def test_rows_without_a_finite_prediction_are_left_out() -> None:
    found = describe_regression(np.array([1.0, 2.0]), np.array([np.nan, 2.0]))
    assert sum(d.examples for d in found.deciles) == 1
    with pytest.raises(ValueError, match="finite"):
        describe_regression(np.array([1.0]), np.array([np.inf]))
