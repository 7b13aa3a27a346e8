"""The schedule and the masks of pruning."""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from tiny_networks import build_network

from trainer_module.models import dnn
from trainer_module.smaller.pruning import Pruning, find_prunable, measure_zeros


def test_kernels_and_embeddings_are_pruned_but_no_biases() -> None:
    network = build_network(dnn.scores, hidden_units=(8, 4))
    names = sorted(v.name.rpartition("/")[2] for v in find_prunable(network))
    assert names == ["embeddings:0", "kernel:0", "kernel:0", "kernel:0"]
    assert measure_zeros(network) == 0
    for variable in find_prunable(network)[:1]:
        variable.assign(tf.zeros_like(variable))
    assert 0 < measure_zeros(network) < 1


def test_the_smallest_weights_become_0_and_stay_0() -> None:
    values = np.arange(1, 101, dtype=np.float32).reshape(10, 10) * np.where(
        np.arange(10) % 2, 1, -1
    )
    weight = tf.Variable(values)
    pruning = Pruning([weight], 0.8, 50)
    apply = tf.function(pruning.apply)
    shares = []
    for step in range(1, 51):
        weight.assign_add(tf.sign(weight) * 0.001)
        apply(tf.constant(step))
        shares.append(float((weight.numpy() == 0).mean()))
    assert shares == sorted(shares)
    assert 0.4 < shares[24] < 0.8, "the share rises fast at first"
    assert shares[-1] == 0.8
    kept = np.abs(weight.numpy()) > 0
    np.testing.assert_array_equal(kept, np.abs(values) > 80)
    weight.assign(values)
    apply(tf.constant(51))
    np.testing.assert_array_equal(weight.numpy() != 0, kept)
