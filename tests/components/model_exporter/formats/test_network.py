"""The network is cut out of a model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from small_networks import build_network, make_batch

from components.model_exporter.formats.network import SavedNetwork, extract_network
from pipeline.core.contracts import Signature
from trainer_module.fit.warm_start import variables_by_name
from trainer_module.network_module import make_network_signature


def save_with_text(directory: Path) -> None:
    """Saves a model with the signature `network`, and one that works on text."""
    network, head = build_network("wide_deep", "multiclass")
    module = tf.Module()
    module.weights = variables_by_name(network.weights)
    text = tf.function(
        lambda x: {"y": tf.strings.strip(x)}, input_signature=[tf.TensorSpec([None], tf.string)]
    )
    signatures = {Signature.NETWORK: make_network_signature(network, head), "text": text}
    tf.saved_model.save(module, str(directory), signatures)


def test_the_network_alone_predicts_what_the_model_predicts(tmp_path: Path) -> None:
    save_with_text(tmp_path / "model")
    extract_network(str(tmp_path / "model"), str(tmp_path / "network"))
    network = SavedNetwork(str(tmp_path / "network"))
    assert list(network.inputs) == ["code", "fare", "when", "words"]
    assert network.inputs["words"].dtype == tf.int64
    assert network.output == "probabilities"
    batch = make_batch(5)
    signature = tf.saved_model.load(str(tmp_path / "model")).signatures[Signature.NETWORK]
    expected = signature(**{name: tf.constant(values) for name, values in batch.items()})
    np.testing.assert_array_equal(network.predict(batch), expected["probabilities"].numpy())
    content = (tmp_path / "network/saved_model.pb").read_bytes()
    assert b"StringStrip" not in content


def test_a_model_without_the_signature_is_refused(tmp_path: Path) -> None:
    module = tf.Module()
    module.f = tf.function(lambda x: {"y": x}, input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(module, str(tmp_path / "model"), {"other": module.f})
    with pytest.raises(KeyError, match="network"):
        extract_network(str(tmp_path / "model"), str(tmp_path / "network"))
