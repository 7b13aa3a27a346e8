"""Labels and weights of whole splits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow as tf

from trainer_module.input.examples import Examples, open_examples
from trainer_module.input.labels import read_labels
from trainer_module.input.row_weights import EQUAL, RowWeights
from trainer_module.names import LABEL_KEY, WEIGHT_KEY


def write_split(path: Path, labels: list[float], dtype: tf.DType, weights: list[float]) -> Examples:
    kinds = {tf.int64: pa.int64(), tf.float32: pa.float32()}
    columns = {
        LABEL_KEY: pa.array([[v] for v in labels], pa.list_(kinds[dtype])),
        WEIGHT_KEY: pa.array([[v] for v in weights], pa.list_(pa.float32())),
    }
    pq.write_table(pa.table(columns), path, row_group_size=2)
    spec = {
        LABEL_KEY: tf.io.FixedLenFeature([1], dtype),
        WEIGHT_KEY: tf.io.FixedLenFeature([1], tf.float32),
    }
    return open_examples([str(path)], spec)


def test_rows_with_an_unknown_class_are_left_out_and_weights_are_multiplied(tmp_path: Path) -> None:
    examples = write_split(tmp_path / "a", [1, -1, 0], tf.int64, [2.0, 3.0, 4.0])
    rows = read_labels(examples, RowWeights(by_class=(1.0, 10.0), mean=2.0))
    assert rows.is_known.tolist() == [True, False, True]
    assert rows.labels.tolist() == [1, 0]
    assert rows.weights is not None
    assert rows.weights.tolist() == [10.0, 2.0]


def test_numbers_are_known_if_they_are_finite(tmp_path: Path) -> None:
    examples = write_split(tmp_path / "a", [1.5, float("nan"), -3], tf.float32, [1, 1, 1])
    del examples.spec[WEIGHT_KEY]
    rows = read_labels(examples, EQUAL)
    np.testing.assert_array_equal(rows.labels, np.array([1.5, -3], np.float32))
    assert rows.weights is None
