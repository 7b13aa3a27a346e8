"""Scales of numbers, computed eagerly."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf

from trainer_module.encoding.scaling import (
    SCORE_QUANTILES,
    _scale_to_range,
    _standardize,
    apply_to_columns,
    bucket_of,
    normal_score,
    signed_log,
)


def column(*values: float) -> tf.Tensor:
    return tf.constant([[value] for value in values], tf.float32)


def test_a_function_of_several_columns_is_applied_to_each() -> None:
    columns = {"a": column(1, 2), "b": column(3, 4)}
    doubled = apply_to_columns(tf.add, columns, columns)
    assert {n: v.numpy().tolist() for n, v in doubled.items()} == {"a": [[2], [4]], "b": [[6], [8]]}
    assert apply_to_columns(tf.add, {}, {}) == {}


def test_the_signed_logarithm_keeps_the_sign() -> None:
    logs = signed_log(column(0, math.expm1(2), -math.expm1(2)))
    np.testing.assert_allclose(logs, [[0], [2], [-2]], rtol=1e-6)


@pytest.mark.parametrize(
    ("number", "deviation", "scaled"),
    [(5, 2.0, 1.5), (-1e9, 2.0, -10), (math.nan, 2.0, 0), (5, 1e-9, 0)],
)
def test_standard_scores_are_clipped_and_0_if_missing_or_constant(
    number: float, deviation: float, scaled: float
) -> None:
    found = _standardize(column(number), tf.constant([2.0]), tf.constant([deviation]))
    assert found.numpy().tolist() == [[scaled]]


@pytest.mark.parametrize(
    ("number", "low", "high", "scaled"),
    [(5, 4, 8, -0.5), (9, 4, 8, 1), (3, 4, 8, -1), (math.nan, 4, 8, 0), (9, 4, 4, 0), (9, 4, 2, 0)],
)
def test_numbers_beyond_the_range_of_the_analysis_are_its_ends(
    number: float, low: float, high: float, scaled: float
) -> None:
    found = _scale_to_range(column(number), tf.constant([float(low)]), tf.constant([float(high)]))
    assert found.numpy().tolist() == [[scaled]]


@pytest.mark.parametrize(("side", "expected"), [("right", [0, 1, 1, 3]), ("left", [0, 0, 1, 1])])
def test_a_bucket_counts_the_boundaries_below(side: str, expected: list[int]) -> None:
    buckets = bucket_of(column(0, 1, 1.5, 2), tf.constant([1.0, 2.0, 2.0]), side)
    assert buckets.numpy()[:, 0].tolist() == expected


def test_a_normal_score_is_monotonous_and_bounded() -> None:
    boundaries = tf.constant(np.arange(1, SCORE_QUANTILES), tf.float32)
    numbers = [-1e9, 1, 100, 256, 300, 511, 1e9]
    scores = normal_score(column(*numbers, math.nan), boundaries).numpy()[:, 0]
    assert (np.diff(scores[:-1]) >= 0).all()
    np.testing.assert_allclose(scores[[0, 3, 6]], [-3.097, 0, 3.097], atol=5e-3)
    assert scores[-1] == 0
