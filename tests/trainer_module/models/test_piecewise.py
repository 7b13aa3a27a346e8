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


def test_constant_and_missing_columns_have_no_bins() -> None:
    assert len(find_quantile_edges(np.full(10, 3, np.float32), 8)) == 1
    assert len(find_quantile_edges(np.empty(0, np.float32), 8)) == 0


def test_a_number_fills_the_bins_below_it() -> None:
    edges = {"a": np.array([0, 1, 3], np.float32), "b": np.array([-1, 1], np.float32)}
    encoded = PiecewiseLinear(edges)(tf.constant([[-5.0, 0.0], [2.0, 9.0], [7.0, -1.0]]))
    expected = [[0, 0, 0.5, 0], [1, 0.5, 1, 0], [1, 1, 0, 0]]
    np.testing.assert_allclose(encoded, expected)
