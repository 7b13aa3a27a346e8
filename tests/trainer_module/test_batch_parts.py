"""Large batches are scored in parts, with the same scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

from trainer_module import batch_parts


def make_network(width: int) -> tf_keras.Model:
    number = tf_keras.Input([1], name="number")
    return tf_keras.Model(
        {"number": number}, tf_keras.layers.Dense(2)(tf_keras.layers.Dense(width)(number))
    )


@pytest.mark.parametrize("rows", [0, 1, 3, 4, 10])
def test_parts_together_have_the_scores_of_the_whole_batch(rows: int) -> None:
    calls: list[Any] = []

    def score(values: dict[str, tf.Tensor]) -> tf.Tensor:
        calls.append(values["number"].shape[0])
        return tf.concat([values["number"], values["square"][:, 0]], axis=1)

    numbers = tf.range(float(rows))[:, tf.newaxis]
    batch = {"number": numbers, "square": numbers[:, tf.newaxis] ** 2}
    found = batch_parts.score_in_parts(score, batch, 3, 2).numpy()
    assert found == pytest.approx(np.stack([np.arange(rows), np.arange(rows) ** 2], axis=1))
    assert found.shape == (rows, 2)
    assert max(calls) <= 3


@pytest.mark.parametrize("in_module", [False, True])
def test_only_a_network_with_wide_layers_is_scored_in_parts(
    monkeypatch: pytest.MonkeyPatch, in_module: bool
) -> None:
    monkeypatch.setattr(batch_parts, "_MOST_NUMBERS", 8192 * 100)
    batch = {"number": tf.range(30_000.0)[:, tf.newaxis]}
    for width, has_loop in ((90, False), (200, True)):
        network = make_network(width)
        model = Wrapped(network) if in_module else network
        graph = tf.function(batch_parts.bound_memory(model, 2)).get_concrete_function(batch)
        assert ("While" in {op.type for op in graph.graph.get_operations()}) == has_loop
        np.testing.assert_allclose(graph(batch), network(batch), rtol=1e-5)


class Wrapped(tf.Module):
    """Holds a network in a list, as a blend does."""

    def __init__(self, network: tf_keras.Model) -> None:
        super().__init__()
        self._models = [network]

    def __call__(self, batch: dict[str, tf.Tensor], training: bool) -> tf.Tensor:
        return self._models[0](batch, training=training)
