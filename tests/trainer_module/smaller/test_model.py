"""The training step with pruning and rounding."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from tiny_networks import BATCH, build_network, make_binary_head

from trainer_module.models import dnn
from trainer_module.smaller.model import SmallerModel
from trainer_module.smaller.pruning import Pruning, find_prunable, measure_zeros
from trainer_module.smaller.rounding import Rounding

LABELS = tf.constant([[0.0], [1.0]])


def make_model(pieces: int | None, prunes: bool, rounds: bool) -> SmallerModel:
    tf_keras.utils.set_random_seed(3)
    network = build_network(dnn.scores, hidden_units=(8,))
    weights = find_prunable(network)
    head = make_binary_head()
    pruning = Pruning(weights, 0.5, 2) if prunes else None
    rounding = Rounding(network, weights) if rounds else None
    model = SmallerModel(network, head, pieces, 0, False, pruning, rounding)
    model.compile(optimizer=tf_keras.optimizers.SGD(0.1), loss=head.loss, metrics=head.metrics())
    model.first_bad_step.start(0)
    return model


@pytest.mark.parametrize("pieces", [None, 1])
def test_steps_prune_and_learn(pieces: int | None) -> None:
    model = make_model(pieces, prunes=True, rounds=True)
    losses = [float(model.train_step((BATCH, LABELS, None))["loss"]) for _ in range(20)]
    assert abs(measure_zeros(model.network) - 0.5) < 0.05
    assert losses[-1] < losses[3]


def test_the_evaluation_sees_rounded_weights_and_leaves_the_exact_ones() -> None:
    exact, rounded = (make_model(None, prunes=False, rounds=rounds) for rounds in (False, True))
    before = rounded.network.get_weights()
    losses = [float(m.test_step((BATCH, LABELS, None))["loss"]) for m in (exact, rounded)]
    assert losses[0] != losses[1]
    assert abs(losses[0] - losses[1]) < 0.05
    for old, new in zip(before, rounded.network.get_weights()):
        np.testing.assert_array_equal(old, new)
