"""The weighted mean of the parts."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

from pipeline.config import LabelConfig
from trainer_module.blend.model import BlendModel, WeightedPart
from trainer_module.heads import make_head


class Constant(tf.Module):
    """A part that is no network."""

    def __init__(self, logit: float) -> None:
        super().__init__()
        self.weights = [tf.Variable(logit)]

    def __call__(self, transformed: dict[str, tf.Tensor], training: bool = False) -> tf.Tensor:
        return tf.fill([tf.shape(transformed["other"])[0], 1], self.weights[0])


def test_probabilities_are_averaged_by_weight_and_a_network_sees_its_own_inputs_alone(
    recwarn: pytest.WarningsRecorder,
) -> None:
    number = tf_keras.Input([1], name="x")
    network = tf_keras.Model({"x": number}, tf_keras.layers.Dense(1, use_bias=False)(number))
    network.set_weights([np.array([[2.0]], np.float32)])
    head = make_head(LabelConfig(column="y", task="binary", classes=("a", "b")), np.array([0, 1]))
    parts = [WeightedPart(network, 0.25), WeightedPart(Constant(-2.0), 0.75, temperature=2.0)]
    blend = BlendModel(parts, head)
    x = np.array([[0.5], [-3.0]], np.float32)
    output = blend({"x": tf.constant(x), "other": tf.constant(x)})
    wanted = 0.25 / (1 + np.exp(-2 * x)) + 0.75 / (1 + np.exp(1.0))
    np.testing.assert_allclose(tf.sigmoid(output), wanted, rtol=1e-5)
    assert [v.shape.as_list() for v in blend.weights] == [[1, 1], []]
    assert not [w for w in recwarn if "did not match" in str(w.message)]
