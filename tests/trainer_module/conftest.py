"""Fixtures of all tests of the trainer module: a small trained model for each task, and rows.

Each model is trained once in a session of all processes, since that takes seconds.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from numbered_rows import write_examples
from tiny_models import Trained, train_once

from trainer_module.input.examples import Examples

OWN = """
import sys
import tensorflow as tf
import tf_keras

def scores(inputs, head, config):
    hidden = tf_keras.Sequential([tf_keras.layers.Dense(config.options["units"], "relu")])
    return tf_keras.layers.Dense(head.units)(hidden(inputs.together()))

class Gate(tf_keras.layers.Layer):
    def call(self, tensor):
        if tf.reduce_mean(tensor) > 0:
            tensor = tensor * 2.0
        return tensor

def gated(inputs, head, config):
    return tf_keras.layers.Dense(head.units)(Gate()(inputs.together()))

def of_keras_3(inputs, head, config):
    import keras
    return tf_keras.layers.Dense(head.units)(keras.layers.Dense(4)(inputs.together()))

def variable(inputs, head, config):
    scale = tf.Variable(2.0, name="scale")
    return tf_keras.layers.Dense(head.units)(inputs.together() * scale)

def lost(inputs, head, config):
    return config.options["units"]

def whole(inputs, head, config):
    return tf_keras.Model(inputs.by_name, gated(inputs, head, config))

def leaves(inputs, head, config):
    sys.exit(0)

def idle(inputs, head, config):
    return tf_keras.layers.Lambda(tf.zeros_like)(gated(inputs, head, config))

def half_idle(inputs, head, config):
    fixed = tf_keras.layers.Lambda(tf.stop_gradient)(tf_keras.layers.Dense(4)(inputs.together()))
    return tf_keras.layers.Dense(head.units)(fixed)

NUMBER = 3

def too_wide(inputs, head, config):
    return tf_keras.layers.Dense(head.units + 1)(inputs.together())
"""


@pytest.fixture(scope="session")
def binary(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    training = {"epochs": 4, "learning_rate": 0.01}
    return train_once(tmp_path_factory, "binary", "binary", training=training)


@pytest.fixture(scope="session")
def multiclass(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return train_once(tmp_path_factory, "multiclass", "multiclass", training={"epochs": 2})


@pytest.fixture(scope="session")
def regression(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """A model without a wide part, trained from TFRecords."""
    return train_once(
        tmp_path_factory,
        "regression",
        "regression",
        model={"family": "dnn", "dropout": 0.1},
        training={"epochs": 2, "optimizer": "adamw"},
        parquet=False,
    )


@pytest.fixture
def own_networks_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_networks.py").write_text(OWN)
    (tmp_path / "own_broken.py").write_text("import tf_kers")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.fixture
def examples(tmp_path: Path) -> Examples:
    return write_examples(tmp_path)
