"""The linear family."""

from __future__ import annotations

import numpy as np
import pytest
from tiny_models import Trained, build_untrained, read_all_rows
from tiny_networks import BATCH, build_network, make_binary_head

from pipeline.config import ModelConfig
from trainer_module.models import linear


@pytest.mark.slow
def test_a_linear_network_starts_from_the_bias_of_the_head(binary: Trained) -> None:
    model, head, train = build_untrained(binary, ModelConfig(family="linear"))
    answers = model.predict(read_all_rows(train)[0], verbose=0)
    np.testing.assert_allclose(answers, head.bias[0], rtol=1e-6)


def test_scores_are_the_sum_of_the_weights_and_the_bias() -> None:
    model = build_network(linear.scores)
    np.testing.assert_allclose(model(BATCH), [make_binary_head().bias] * 2, rtol=1e-6)
    model.get_layer("wide").set_weights([np.array([[10.0], [1.0]])])
    model.get_layer("weight__color").set_weights([np.array([[100.0], [200.0], [300.0]])])
    model.get_layer("bias").set_weights([np.array([0.5])])
    np.testing.assert_allclose(model(BATCH), [[212.5], [299.5]])
