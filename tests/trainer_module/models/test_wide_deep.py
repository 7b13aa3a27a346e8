"""The wide_deep family."""

from __future__ import annotations

import numpy as np
from tiny_networks import BATCH, build_network

from trainer_module.models import wide_deep


def test_the_wide_weights_add_to_the_deep_scores() -> None:
    model = build_network(wide_deep.scores, hidden_units=[4])
    deep = model(BATCH).numpy()
    model.get_layer("wide").set_weights([np.array([[10.0], [1.0]])])
    model.get_layer("weight__color").set_weights([np.array([[100.0], [200.0], [300.0]])])
    np.testing.assert_allclose(model(BATCH) - deep, [[12 + 200], [-1 + 300]], rtol=1e-5)
