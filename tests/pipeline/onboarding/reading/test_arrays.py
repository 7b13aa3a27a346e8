"""Ranks, skewness and the signed logarithm."""

import numpy as np
import pytest
from scipy import stats

from pipeline.onboarding.reading.arrays import ranks_of, signed_log, skewness_of

VALUES = np.array([3.0, -1.0, 3.0, 0.0, 20.0])


def test_ranks_agree_with_scipy():
    assert ranks_of(VALUES).tolist() == stats.rankdata(VALUES).tolist()


def test_skewness_agrees_with_scipy():
    assert skewness_of(VALUES) == pytest.approx(stats.skew(VALUES))


def test_skewness_of_constants_is_zero():
    assert skewness_of(np.ones(5)) == 0


def test_signed_log_keeps_sign_and_order():
    logarithms = signed_log(VALUES)
    assert np.sign(logarithms).tolist() == np.sign(VALUES).tolist()
    assert np.argsort(logarithms, kind="stable").tolist() == [1, 3, 0, 2, 4]
    assert logarithms[4] == pytest.approx(np.log(21))
