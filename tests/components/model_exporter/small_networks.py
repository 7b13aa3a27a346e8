"""Networks of each family and head over every kind of input, built without Transform."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from pydantic import TypeAdapter

from components.model_exporter.batches import Array
from components.model_exporter.formats.network import SavedNetwork
from pipeline.config import Feature, LabelConfig, ModelConfig, Task
from trainer_module.heads import Head, make_head
from trainer_module.models import network as networks
from trainer_module.models.inputs import Category, Inputs, concatenate
from trainer_module.models.piecewise import PiecewiseLinear
from trainer_module.network_module import save_network

CLASSES: dict[Task, tuple[str, ...]] = {
    "binary": ("no", "yes"),
    "multiclass": ("a", "b", "c"),
    "regression": (),
}
COMBINATIONS: list[tuple[str, Task]] = [
    ("linear", "binary"),
    ("dnn", "multiclass"),
    ("wide_deep", "regression"),
    ("dcn_v2", "binary"),
    ("ensemble", "binary"),
    ("ensemble", "multiclass"),
    ("ensemble", "regression"),
]
"""Each family and each head; an ensemble's members are combined in the space of each head."""


def make_inputs() -> Inputs:
    """A number of width 2 with its encoding, a timestamp's parts, a hashed id, and four tokens."""
    hashed = TypeAdapter(Feature).validate_python({"kind": "hashed", "buckets": 40})
    text = TypeAdapter(Feature).validate_python({"kind": "text", "max_tokens": 4})
    tensors = {
        "fare": tf_keras.Input([2], name="input__fare"),
        "when": tf_keras.Input([10], name="input__when"),
        "code": tf_keras.Input([1], dtype=tf.int64, name="input__code"),
        "words": tf_keras.Input([4], dtype=tf.int64, name="input__words"),
    }
    categories = [
        Category("code", tensors["code"], hashed, 41),
        Category("words", tensors["words"], text, 20),
    ]
    edges = {"fare": np.array([-1, 0, 1, 4], np.float32)}
    encoded = PiecewiseLinear(edges)(concatenate([tensors["fare"][:, :1]]))
    return Inputs(tensors, [tensors["fare"], tensors["when"]], categories, [encoded])


def build_network(family: str, task: Task) -> tuple[tf_keras.Model, Head]:
    """Returns an untrained network, whose weights are all different from 0."""
    label = LabelConfig(column="y", task=task, classes=CLASSES[task])
    labels = np.arange(6) * 50.0 if task == "regression" else np.arange(6) % len(CLASSES[task])
    head = make_head(label, labels)
    config = ModelConfig(family=family, hidden_units=(32, 32), members=2)
    tf_keras.utils.set_random_seed(1)
    with pytest.MonkeyPatch.context() as patch:
        # The inputs come from Transform's output otherwise, which takes seconds to make.
        patch.setattr(networks, "make_inputs", lambda *unused: make_inputs())
        built = networks.build_model({}, None, head, config)
    random = np.random.default_rng(1)
    for weight in built.trainable_variables:
        weight.assign(weight + random.normal(0, 0.3, weight.shape))
    return built, head


def save(directory: Path, family: str, task: Task) -> SavedNetwork:
    """Saves a network as the exporter's conversion finds it."""
    save_network(str(directory), *build_network(family, task))
    return SavedNetwork(str(directory))


def make_batch(rows: int, seed: int = 0) -> dict[str, Array]:
    """Returns transformed rows; a text without tokens is all padding."""
    random = np.random.default_rng(seed)
    words = random.integers(0, 20, (rows, 4))
    words[0] = 0
    return {
        "fare": random.normal(size=(rows, 2)).astype(np.float32),
        "when": random.normal(size=(rows, 10)).astype(np.float32),
        "code": random.integers(0, 41, (rows, 1)),
        "words": words,
    }


def make_rows() -> Any:
    """Yields batches of one row, as calibration takes them."""
    for seed in range(60):
        yield make_batch(1, seed)
