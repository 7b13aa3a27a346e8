"""The dnn family."""

from __future__ import annotations

import numpy as np
from tiny_networks import BATCH, build_network, make_binary_head

from trainer_module.models import dnn
from trainer_module.models.dropout import Dropout


def test_each_width_is_a_hidden_layer() -> None:
    model = build_network(dnn.scores, hidden_units=[5, 3], dropout=0.1)
    shapes = [w.shape for w in model.get_weights() if w.ndim == 2]
    assert shapes[-3:] == [(2 + 3, 5), (5, 3), (3, 1)]
    assert sum(isinstance(layer, Dropout) for layer in model.layers) == 2
    assert model(BATCH).shape == (2, 1)


def test_the_last_bias_starts_as_the_bias_of_the_head() -> None:
    model = build_network(dnn.scores, hidden_units=[4])
    np.testing.assert_allclose(model.get_layer("deep").bias, make_binary_head().bias, rtol=1e-6)
    assert not any(isinstance(layer, Dropout) for layer in model.layers)
