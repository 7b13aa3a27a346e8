"""The rounding of weights and of the inputs of dense layers."""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from tiny_networks import BATCH, build_network

from trainer_module.models import ensemble
from trainer_module.smaller.pruning import find_prunable
from trainer_module.smaller.rounding import Rounding, round_to_levels


def test_values_are_rounded_to_255_levels_of_their_own_scale() -> None:
    values = tf.constant([[1.0, 100.0], [0.5049, -50.2], [0.0, 0.0]])
    rounded = round_to_levels(values, [0]).numpy()
    np.testing.assert_allclose(rounded[:, 0], [1, 64 / 127, 0], rtol=1e-6)
    np.testing.assert_allclose(rounded[:, 1], [100, -64 / 127 * 100, 0], rtol=1e-6)
    assert round_to_levels(tf.zeros([2, 2]), [0, 1]).numpy().max() == 0


def test_weights_and_inputs_are_rounded_inside_only_and_pass_the_gradient() -> None:
    network = build_network(ensemble.scores, hidden_units=(8,), members=2)
    weights = find_prunable(network)
    before = [w.numpy() for w in weights]
    exact = network(BATCH).numpy()
    rounding = Rounding(network, weights)

    @tf.function
    def run() -> tuple[tf.Tensor, list[tf.Tensor], list[tf.Tensor]]:
        with rounding.rounded():
            with tf.GradientTape() as tape:
                scores = network(BATCH)
            seen = [tf.identity(w) for w in weights]
            return scores, seen, tape.gradient(scores, weights)

    scores, seen, gradients = run()
    assert 0 < np.abs(scores.numpy() - exact).max() < 0.1
    for values, rounded in zip(before, seen):
        levels = np.abs(rounded.numpy()).max(axis=tuple(range(values.ndim - 1))) / 127
        multiples = rounded.numpy() / np.where(levels, levels, 1)
        np.testing.assert_allclose(multiples, np.round(multiples), atol=1e-3)
    assert all(np.abs(tf.convert_to_tensor(g).numpy()).max() > 0 for g in gradients)
    for values, weight in zip(before, weights):
        np.testing.assert_array_equal(weight.numpy(), values)
    np.testing.assert_array_equal(network(BATCH).numpy(), exact)
