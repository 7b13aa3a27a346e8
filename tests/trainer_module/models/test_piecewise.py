"""The piecewise-linear encoding of numbers."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from trainer_module.models.piecewise import PiecewiseLinear, find_quantile_edges


def test_edges_are_quantiles_of_the_rows_and_of_the_distinct_values() -> None:
    mostly_zero = np.concatenate([np.zeros(920), np.arange(1, 81)]).astype(np.float32)
    edges = find_quantile_edges(mostly_zero, 8)
    assert (np.diff(edges) > 0).all()
    assert edges[0] == 0
    assert edges[-1] == 80
    assert len(edges) >= 8, "of quantiles of the rows alone, two would be left"


def test_each_value_of_a_column_with_few_values_is_an_edge() -> None:
    values = np.repeat(np.arange(17), np.arange(1, 18) ** 3).astype(np.float32)
    assert find_quantile_edges(values, 8).tolist() == list(range(17))
    assert len(find_quantile_edges(np.append(values, 17.0), 8)) <= 17


def test_a_frequent_value_has_edges_at_both_neighbours_and_no_more_edges_than_allowed() -> None:
    rows = np.random.default_rng(0).normal(size=5000).round(2)
    rows = np.concatenate([rows, np.full(300, 1.23)]).astype(np.float32)
    edges = find_quantile_edges(rows, 8)
    assert len(edges) <= 17
    assert set(np.float32([1.22, 1.23, 1.24])) <= set(edges)
    assert len(find_quantile_edges(np.arange(1000, dtype=np.float32), 8)) == 9


def test_constant_and_missing_columns_have_no_bins() -> None:
    assert len(find_quantile_edges(np.full(10, 3, np.float32), 8)) == 1
    assert len(find_quantile_edges(np.empty(0, np.float32), 8)) == 0


def test_a_number_fills_the_bins_below_it() -> None:
    edges = {"a": np.array([0, 1, 3], np.float32), "b": np.array([-1, 1], np.float32)}
    encoded = PiecewiseLinear(edges)(tf.constant([[-5.0, 0.0], [2.0, 9.0], [7.0, -1.0]]))
    expected = [[0, 0, 0.5, 0], [1, 0.5, 1, 0], [1, 1, 0, 0]]
    np.testing.assert_allclose(encoded, expected)
