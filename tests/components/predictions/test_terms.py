"""What one row adds to the metrics."""

import numpy as np
import pytest

from components.predictions.terms import (
    CERTAIN,
    BinaryTerms,
    MulticlassTerms,
    RegressionTerms,
    bucket_scores,
)


def test_buckets_keep_the_order_of_probabilities_and_have_ends() -> None:
    probabilities = np.array([0, 1e-13, 1e-9, 1e-3, 0.5, 0.999, 1])
    buckets = bucket_scores(probabilities)
    assert (np.diff(buckets) >= 0).all()
    assert buckets[0] == buckets[1]
    assert len(set(buckets[1:].tolist())) == 6


def test_a_row_of_a_binary_classification() -> None:
    terms = BinaryTerms.from_rows(np.array([0, 1, 1]), np.array([0.25, 0.0, np.nan], np.float32))
    assert terms.positive.tolist() == [False, True, True]
    assert terms.predicted.tolist() == [False, False, False]
    assert terms.invalid.tolist() == [False, False, True]
    assert terms.entropies[:2] == pytest.approx([-np.log(0.75), -np.log(CERTAIN)])


def test_a_probability_of_one_half_is_predicted_positive_as_the_model_answers() -> None:
    below = np.nextafter(np.float32(0.5), np.float32(0))
    terms = BinaryTerms.from_rows(np.array([0, 1]), np.array([0.5, below], np.float32))
    assert terms.predicted.tolist() == [True, False]


def test_a_row_of_a_multiclass_classification() -> None:
    scores = np.array([[0.5, 0.25, 0.25], [np.inf, 0, 0]], np.float32)
    terms = MulticlassTerms.from_rows(np.array([1, 0]), scores)
    assert terms.actual.tolist() == [1, 0]
    assert terms.predicted[0] == 0
    assert terms.entropies[0] == pytest.approx(-np.log(0.25))
    assert terms.invalid.tolist() == [False, True]


def test_a_row_of_a_regression() -> None:
    terms = RegressionTerms.from_rows(np.array([1.0, 1e200]), np.array([3.0, 0.0]))
    assert terms.absolute.tolist() == [2, 1e200]
    assert terms.squared.tolist() == [4, np.inf]
