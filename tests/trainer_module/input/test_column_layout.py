"""Columns packed into one matrix per dtype."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from trainer_module.input.column_layout import Layout

SPEC = {
    "pair": tf.io.FixedLenFeature([2], tf.float32),
    "id": tf.io.FixedLenFeature([1], tf.int64),
    "number": tf.io.FixedLenFeature([1], tf.float32),
}


@pytest.fixture
def matrices() -> dict[str, np.ndarray]:
    """Filled through the views of two rows."""
    layout = Layout(SPEC)
    matrices = layout.empty(2)
    columns = layout.views(matrices)
    columns["pair"][:] = [[1, 2], [3, 4]]
    columns["number"][:] = [[5], [6]]
    columns["id"][:] = [[7], [8]]
    return matrices


def test_columns_of_a_dtype_lie_side_by_side(matrices: dict[str, np.ndarray]) -> None:
    assert {dtype: matrix.tolist() for dtype, matrix in matrices.items()} == {
        "float32": [[1, 2, 5], [3, 4, 6]],
        "int64": [[7], [8]],
    }
    for dtype, spec in Layout(SPEC).signature.items():
        assert spec.is_compatible_with(tf.constant(matrices[dtype]))


def test_a_batch_is_split_into_its_columns(matrices: dict[str, np.ndarray]) -> None:
    batch = {dtype: tf.constant(matrix) for dtype, matrix in matrices.items()}
    columns = Layout(SPEC).split(batch)
    assert {name: values.numpy().tolist() for name, values in columns.items()} == {
        "pair": [[1, 2], [3, 4]],
        "number": [[5], [6]],
        "id": [[7], [8]],
    }
