"""Dropout by seed, and without one."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from tiny_models import Trained, build_untrained, read_all_rows

from pipeline.config import ModelConfig
from trainer_module.models.dropout import Dropout, dropout_seed


@pytest.mark.slow
def test_dropout_works_in_stock_keras_fit(binary: Trained) -> None:
    """The benchmark of stock TFX trains the same network with Keras's loop, which sets no seed."""
    model, head, train = build_untrained(binary, ModelConfig(hidden_units=(16,), dropout=0.5))
    columns, labels = read_all_rows(train)
    with_dropout = model(columns, training=True)
    assert np.any(with_dropout != model(columns, training=False))
    model.compile("adam", loss=head.loss)
    model.fit(columns, labels, batch_size=16, verbose=0)


def test_the_same_seed_drops_the_same_inputs() -> None:
    layer, ones = Dropout(0.5), tf.ones([8, 16])

    def drop(seed: int) -> np.ndarray:
        with dropout_seed(tf.constant([seed, 0], tf.int64)):
            return layer(ones, training=True).numpy()

    assert set(np.unique(drop(1))) == {0.0, 2.0}
    np.testing.assert_array_equal(drop(1), drop(1))
    assert np.any(drop(1) != drop(2))
    np.testing.assert_array_equal(layer(ones, training=False), ones)


def test_layers_of_one_seed_drop_different_inputs() -> None:
    ones = tf.ones([8, 16])
    with dropout_seed(tf.constant([1, 0], tf.int64)):
        first, second = (Dropout(0.5)(ones, training=True).numpy() for _ in range(2))
    assert np.any(first != second)
