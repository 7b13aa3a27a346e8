"""Networks of two features, built without Transform."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras
from pydantic import TypeAdapter

from pipeline.config import Feature, LabelConfig, ModelConfig
from trainer_module.heads import Head, make_head
from trainer_module.models.inputs import Category, Inputs
from trainer_module.models.network import Scores

BATCH = {"x": tf.constant([[1.0, 2.0], [0.0, -1.0]]), "color": tf.constant([[1], [2]], tf.int64)}


def make_binary_head() -> Head:
    """A head whose bias is that of one positive row in four."""
    label = LabelConfig(column="y", task="binary", classes=("no", "yes"))
    return make_head(label, np.array([0, 0, 0, 1]))


def build_network(scores: Scores, **config: Any) -> tf_keras.Model:
    """The network of a family over a number of width 2 and a category of three ids.

    Its weights are the same in each test.
    """
    tf_keras.utils.set_random_seed(1)
    feature = TypeAdapter(Feature).validate_python({"kind": "hashed", "buckets": 2})
    x = tf_keras.Input([2], name="input__x")
    color = tf_keras.Input([1], dtype=tf.int64, name="input__color")
    inputs = Inputs({"x": x, "color": color}, [x], [Category("color", color, feature, 3)], [])
    output = scores(inputs, make_binary_head(), ModelConfig.model_validate(config))
    return tf_keras.Model(inputs.by_name, output)
