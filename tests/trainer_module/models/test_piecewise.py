"""The piecewise-linear encoding of numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow as tf
import tf_keras
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pydantic import TypeAdapter

from pipeline.config import Features, ModelConfig
from trainer_module.input.examples import open_examples
from trainer_module.models.piecewise import PiecewiseLinear, find_bin_edges, find_quantile_edges

FEATURES = TypeAdapter(Features).validate_python(
    {
        "size": "numeric",
        "when": {"kind": "timestamp", "parts": ["hour", "date", "year"]},
        "plain": {"kind": "numeric", "missing_indicator": False},
        "constant": "numeric",
        "color": "categorical",
        "month": {"kind": "timestamp", "parts": ["month"]},
    }
)


def test_numbers_and_days_have_bins_without_their_missing_values(tmp_path: Path) -> None:
    cells = {
        "size": [[1, 0], [0, 1], [2, 0]],
        "when": [[0, 1, 0.5, 7, 0], [0, 0, 0, 0, 1], [0, 1, -1, 7, 0]],
        "plain": [[3], [0], [3]],
        "constant": [[0, 0], [0, 1], [0, 0]],
    }
    floats = pa.large_list(pa.float32())
    pq.write_table(pa.table({n: pa.array(c, floats) for n, c in cells.items()}), tmp_path / "rows")
    spec = {n: tf.io.FixedLenFeature([len(c[0])], tf.float32) for n, c in cells.items()}
    train = open_examples([f"{tmp_path}/rows"], spec)
    edges = find_bin_edges(FEATURES, ModelConfig(numeric_bins=4), train)
    assert {name: several.tolist() for name, several in edges.items()} == {
        "size": [1, 2],
        "when": [-1, 0.5],
        "plain": [0, 3],
    }
    assert find_bin_edges(FEATURES, ModelConfig(numeric_bins=0), train) == {}


def test_a_few_distinct_values_are_all_edges() -> None:
    values = np.repeat(np.arange(17), np.arange(17) ** 2 + 1).astype(np.float32)
    assert find_quantile_edges(values, 8).tolist() == list(range(17))


@given(
    arrays(
        np.float32, st.integers(1, 300), elements=st.integers(-40, 40) | st.floats(-9, 9, width=32)
    ),
    st.integers(1, 12),
)
def test_edges_are_few_and_span_all_values(values: np.ndarray, bins: int) -> None:
    edges = find_quantile_edges(values, bins)
    assert edges.dtype == np.float32
    assert (np.diff(edges) > 0).all()
    assert (edges[0], edges[-1]) == (values.min(), values.max())
    assert set(edges) <= set(values)
    assert len(edges) <= 2 * bins + 1


def test_a_bin_holds_few_of_the_rows_and_few_of_the_values() -> None:
    random = np.random.default_rng(0)
    values = np.concatenate([random.integers(0, 50, 5000), random.uniform(50, 950, 1000)])
    edges = find_quantile_edges(values.astype(np.float32), 32)
    rows, _ = np.histogram(values, edges)
    distinct, _ = np.histogram(np.unique(values), edges)
    assert rows.max() <= 6000 / 32 + 100, "a value may have 100 rows itself"
    assert distinct.max() <= 1050 / 32 + 2


def test_frequent_values_share_their_bins_with_no_other_value() -> None:
    random = np.random.default_rng(0)
    spikes = np.repeat([0, 500, 700], [9000, 300, 200])
    values = np.concatenate([spikes, random.permutation(np.arange(1, 1000))])
    edges = find_quantile_edges(values.astype(np.float32), 16)
    assert {0, 499, 500, 501, 699, 700, 701} <= set(edges.tolist())
    assert np.diff(edges).max() <= 1000 / 13 + 2, (
        "three of the bins' shares go to the frequent values"
    )


def test_constant_and_missing_columns_have_no_bins() -> None:
    assert len(find_quantile_edges(np.full(10, 3, np.float32), 8)) == 1
    assert len(find_quantile_edges(np.empty(0, np.float32), 8)) == 0


def test_a_number_fills_the_bins_below_it() -> None:
    edges = {"a": np.array([0, 1, 3], np.float32), "b": np.array([-1, 1], np.float32)}
    encoded = PiecewiseLinear(edges)(tf.constant([[-5.0, 0.0], [2.0, 9.0], [7.0, -1.0]]))
    expected = [[0, 0, 0.5], [1, 0.5, 1], [1, 1, 0]]
    np.testing.assert_allclose(encoded, expected)


def test_a_few_bins_more_leave_the_shape_as_it_is() -> None:
    def encode(*counts: int) -> np.ndarray:
        edges = {str(n): np.arange(n + 1, dtype=np.float32) for n in counts}
        return PiecewiseLinear(edges)(tf.fill([1, len(counts)], 99.0)).numpy()

    assert encode(8, 3).tolist() == [[1] * 11]
    assert encode(9, 3).tolist() == [[1] * 9 + [0] * 7 + [1] * 3]
    assert encode(9, 12).shape == encode(16, 15).shape == (1, 32)


def test_edges_close_together_are_told_apart_in_mixed_precision() -> None:
    edges = {"a": np.array([1, 1.0001, 1.0002], np.float32), "b": np.array([0, 1e-40], np.float32)}
    tf_keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        encoded = PiecewiseLinear(edges)(tf.constant([[1.0001, 0.0], [1.0002, 1.0]]))
    finally:
        tf_keras.mixed_precision.set_global_policy("float32")
    np.testing.assert_allclose(encoded, [[1, 0, 0], [1, 1, 1]], atol=2e-3)
