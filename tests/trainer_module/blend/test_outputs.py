"""Outputs of a part for a whole split."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from numbered_rows import ROWS

from trainer_module import batch_parts
from trainer_module.blend import outputs
from trainer_module.blend.outputs import compute_outputs
from trainer_module.input.examples import Examples


class Pairs(tf.Module):
    """A part that is no network."""

    def __call__(self, transformed: dict[str, tf.Tensor], training: bool = False) -> tf.Tensor:
        return transformed["pair"]


def test_all_rows_are_computed_in_their_order_however_many_at_once(
    examples: Examples, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = compute_outputs(Pairs(), examples, 2)
    np.testing.assert_array_equal(whole[:, 0], -np.arange(ROWS))
    np.testing.assert_array_equal(whole[:, 1], np.full(ROWS, 0.5))
    monkeypatch.setattr(outputs, "USUAL_ROWS", 7)
    np.testing.assert_array_equal(compute_outputs(Pairs(), examples, 2), whole)


def test_a_network_with_wide_layers_gets_few_rows_at_once(
    examples: Examples, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def note(pairs: np.ndarray) -> np.ndarray:
        seen.append(len(pairs))
        return pairs

    class Noting(tf_keras.layers.Layer):
        def call(self, pairs: tf.Tensor) -> tf.Tensor:
            return tf.ensure_shape(tf.numpy_function(note, [pairs], tf.float32), [None, 2])

    pair = tf_keras.Input([2], name="pair")
    wide = tf_keras.layers.Dense(100)(Noting()(pair))
    network = tf_keras.Model({"pair": pair}, tf_keras.layers.Dense(1)(wide))
    whole = compute_outputs(network, examples, 1)
    assert max(seen) == 17, "a row group"
    seen.clear()
    monkeypatch.setattr(batch_parts, "_MOST_NUMBERS", 500)
    np.testing.assert_allclose(compute_outputs(network, examples, 1), whole, rtol=1e-5)
    assert sum(seen) == ROWS
    assert max(seen) <= 5, "each row has more than a hundred numbers"
