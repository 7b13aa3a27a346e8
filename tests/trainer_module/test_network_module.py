"""The network alone as a SavedModel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tensorflow as tf
from tiny_networks import BATCH, build_network, make_binary_head

from trainer_module.models import dnn
from trainer_module.network_module import save_network


def test_the_signature_takes_transformed_features_and_returns_numbers_alone(tmp_path: Path) -> None:
    network = build_network(dnn.scores, hidden_units=(4,))
    save_network(str(tmp_path), network, make_binary_head())
    signature = tf.saved_model.load(str(tmp_path)).signatures["network"]
    specs = signature.structured_input_signature[1]
    assert {name: (s.shape.as_list(), s.dtype) for name, s in specs.items()} == {
        "x": ([None, 2], tf.float32),
        "color": ([None, 1], tf.int64),
    }
    answers = signature(**BATCH)
    assert list(answers) == ["probability"], "names of classes are text"
    logits = network(BATCH).numpy()[:, 0]
    np.testing.assert_allclose(answers["probability"], 1 / (1 + np.exp(-logits)), rtol=1e-5)
