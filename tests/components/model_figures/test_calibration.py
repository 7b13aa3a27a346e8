"""Calibration bins equal those of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.calibration import calibration_curve

from components.model_figures.calibration import calibrate, estimate_share

RANDOM = np.random.default_rng(0)


def test_bins_equal_those_of_scikit_learn() -> None:
    predicted = RANDOM.beta(1, 9, 2000)
    observed = RANDOM.random(2000) < predicted
    bins = calibrate(predicted, observed)
    true, mean = calibration_curve(observed, predicted, n_bins=10, strategy="quantile")
    assert [b.observed.value for b in bins] == pytest.approx(true)
    assert [b.predicted for b in bins] == pytest.approx(mean)
    assert sum(b.examples for b in bins) == 2000
    inside = sum(b.observed.low <= b.predicted <= b.observed.high for b in bins)
    assert inside >= 8


def test_equal_predictions_share_a_bin() -> None:
    [only] = calibrate(np.full(50, 0.3), np.arange(50) < 10)
    assert (only.predicted, only.observed.value, only.examples) == (pytest.approx(0.3), 0.2, 50)


def test_no_rows_have_no_bins() -> None:
    assert calibrate(np.empty(0), np.empty(0, bool)) == ()


@pytest.mark.parametrize(("hits", "count"), [(0, 9), (9, 9), (3, 40), (1, 1)])
def test_the_interval_is_wilsons(hits: int, count: int) -> None:
    found = estimate_share(hits, count)
    interval = stats.binomtest(hits, count).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
