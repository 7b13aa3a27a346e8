"""The dcn_v2 family."""

from __future__ import annotations

import numpy as np
import tf_keras
from tiny_networks import BATCH, build_network

from trainer_module.models import dcn_v2


def test_a_cross_layer_multiplies_the_input_by_a_linear_map_of_the_layer_before() -> None:
    model = build_network(dcn_v2.scores, hidden_units=[4], cross_layers=2)
    cross = [model.get_layer(f"cross_{index}") for index in (1, 2)]
    inner = tf_keras.Model(
        model.input,
        [cross[0].input, cross[1].input, cross[1].output, model.get_layer("deep").input],
    )
    first, second, image, joined = (t.numpy() for t in inner(BATCH))
    width = first.shape[1]
    kernel, bias = cross[0].get_weights()
    np.testing.assert_allclose(
        second, first * (first @ kernel + bias) + first, rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(joined[:, :width], first * image + second, rtol=1e-5, atol=1e-6)
    assert joined.shape[1] == width + 4
