"""Every family of networks learns, and starts from the best constant answer."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_transform as tft
import tf_keras
from tiny_models import Trained

from pipeline.config import ModelConfig
from pipeline.core.errors import ConfigError
from trainer_module.fit.train_step import TrainingModel
from trainer_module.heads import Head, make_head
from trainer_module.input.examples import Examples, open_examples
from trainer_module.models import build_model
from trainer_module.models.piecewise import find_bin_edges
from trainer_module.names import LABEL_KEY
from trainer_module.sections import Sections

pytestmark = pytest.mark.slow

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


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_networks.py").write_text(OWN)
    (tmp_path / "own_broken.py").write_text("import tf_kers")
    monkeypatch.syspath_prepend(tmp_path)


def untrained(trained: Trained, config: ModelConfig) -> tuple[tf_keras.Model, Head, Examples]:
    sections = Sections(trained.fn_args.custom_config)
    output = tft.TFTransformOutput(trained.fn_args.transform_graph_path)
    spec = output.transformed_feature_spec()
    train = open_examples(trained.fn_args.train_files, spec)
    head = make_head(sections.label, train.labels)
    tf_keras.utils.set_random_seed(1)
    edges = find_bin_edges(sections.features, config, train)
    return build_model(sections.features, output, head, config, edges), head, train


def batch_of(examples: Examples) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
    """All examples: features and labels."""
    columns = examples.layout.views(examples.load(0, examples.row_count))
    tensors = {name: tf.constant(values) for name, values in columns.items()}
    labels = tensors.pop(LABEL_KEY)
    return tensors, labels


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
@pytest.mark.parametrize(
    "config",
    [
        ModelConfig(family="linear"),
        ModelConfig(family="dnn", hidden_units=(16,)),
        ModelConfig(family="wide_deep", hidden_units=(16,), dropout=0.1),
        ModelConfig(family="dcn_v2", hidden_units=(16,), cross_layers=3),
        ModelConfig(family="ensemble", hidden_units=(16,), numeric_bins=8, dropout=0.1),
        ModelConfig(family="own_networks.scores", options={"units": 8}),
        ModelConfig(family="own_networks.gated"),
    ],
    ids=lambda config: config.family,
)
def test_a_family_learns(
    task: str, config: ModelConfig, request: pytest.FixtureRequest, own_module: None
) -> None:
    model, head, train = untrained(request.getfixturevalue(task), config)
    columns, labels = batch_of(train)
    model = TrainingModel(model, head)
    model.compile("adam", loss=head.loss)
    before = model.evaluate(columns, labels, batch_size=240, verbose=0)
    model.fit(columns, labels, epochs=3, batch_size=16, verbose=0)
    assert model.evaluate(columns, labels, batch_size=240, verbose=0) < before
    if config.family == "linear":
        assert (
            model.count_params()
            < untrained(request.getfixturevalue(task), ModelConfig(family="dnn"))[0].count_params()
        )


def test_dropout_drops_in_a_fit_of_anybody(binary: Trained) -> None:
    """Stock TFX trains the same network in the benchmark, by a loop that knows nothing of seeds."""
    model, head, train = untrained(binary, ModelConfig(hidden_units=(16,), dropout=0.5))
    columns, labels = batch_of(train)
    with_dropout = model(columns, training=True)
    assert np.any(with_dropout != model(columns, training=False))
    model.compile("adam", loss=head.loss)
    model.fit(columns, labels, batch_size=16, verbose=0)


def test_a_linear_network_starts_from_the_share_of_the_classes(binary: Trained) -> None:
    model, head, train = untrained(binary, ModelConfig(family="linear"))
    answers = model.predict(batch_of(train)[0], verbose=0)
    np.testing.assert_allclose(answers, head.bias[0], rtol=1e-6)


@pytest.mark.parametrize(
    ("family", "message"),
    [
        (
            "own_networks.lost",
            r"model.family: own_networks.lost failed with KeyError: 'units'\n"
            r"  .*own_networks.py, line \d+: .*units",
        ),
        ("own_networks.leaves", r"leaves failed with SystemExit: 0\n  .*line \d+: .*sys\.exit"),
        (
            "own_networks.of_keras_3",
            r"network does not hold: dense/kernel, dense/bias\n  .*Keras 3",
        ),
        ("own_networks.variable", r"network does not hold: scale\n  .*tf_keras"),
        ("own_networks.absent", "there is no function own_networks.absent"),
        ("own_networks.NUMBER", "own_networks.NUMBER is not a function"),
        ("own_network.absent", "there is no module own_network for own_network.absent"),
        ("own_broken.scores", r"No module named 'tf_kers'\n  .*own_broken.py, line 1: import"),
        (
            "own_networks.whole",
            r"returns a network instead of scores\n  call the network: .*inputs.together",
        ),
        ("own_networks.too_wide", r"returns scores of shape \(None, 2\), not \(None, 1\)"),
    ],
)
def test_an_own_network_that_does_not_fit_is_explained(
    family: str, message: str, binary: Trained, own_module: None
) -> None:
    with pytest.raises(ConfigError) as caught:
        untrained(binary, ModelConfig(family=family))
    assert re.search(message, f"{caught.value.message}\n  {caught.value.hint}")


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_members_answer_for_themselves_in_training_and_together_else(
    task: str, request: pytest.FixtureRequest
) -> None:
    config = ModelConfig(family="ensemble", hidden_units=(8,), members=3)
    model, head, train = untrained(request.getfixturevalue(task), config)
    columns, _ = batch_of(train)
    each, together = model(columns, training=True), model(columns, training=False)
    assert each.shape == (240, 3, head.units)
    assert together.shape == (240, head.units)
    [(_, mean), *_] = head.predictions(together).items()
    members = [next(iter(head.predictions(each[:, i]).values())) for i in range(3)]
    assert np.ptp(members, axis=0).max() > 0
    np.testing.assert_allclose(np.mean(members, axis=0), mean, rtol=1e-4)


def test_pieces_of_a_batch_give_the_gradients_of_the_whole(binary: Trained) -> None:
    config = ModelConfig(family="ensemble", hidden_units=(8,), members=3, numeric_bins=4)
    model, head, train = untrained(binary, config)
    columns, labels = batch_of(train)
    found = []
    for micro_batch_size in (None, 100):
        trainee = TrainingModel(model, head, micro_batch_size)
        trainee.compile("sgd", loss=head.loss)
        found.append(trainee.gradients((columns, labels, None)))
    for whole, pieces in zip(tf.nest.flatten(found[0]), tf.nest.flatten(found[1])):
        np.testing.assert_allclose(whole, pieces, rtol=1e-4, atol=1e-6)


def trainee(trained: Trained, family: str) -> tuple[tf_keras.Model, Examples]:
    network, head, train = untrained(trained, ModelConfig(family=family))
    model = TrainingModel(network, head)
    model.compile("adam", loss=head.loss)
    return model, train


def test_a_network_that_cannot_learn_is_told(binary: Trained, own_module: None) -> None:
    model, train = trainee(binary, "own_networks.idle")
    with pytest.raises(ValueError, match=r"none of the network's weights \(.*dense/bias:0\)"):
        model.fit(*batch_of(train), batch_size=32, verbose=0)


def test_weights_that_the_loss_does_not_depend_on_stay(
    binary: Trained, own_module: None, caplog: pytest.LogCaptureFixture
) -> None:
    model, train = trainee(binary, "own_networks.half_idle")
    before = {w.name: w.numpy() for w in model.trainable_variables}
    model.fit(*batch_of(train), batch_size=32, verbose=0)
    changed = {w.name for w in model.trainable_variables if np.any(w.numpy() != before[w.name])}
    assert changed == {"dense_1/kernel:0", "dense_1/bias:0"}
    assert re.search(r"does not depend on .*dense/kernel:0, dense/bias:0$", caplog.text, re.M)
    assert "AutoGraph" not in caplog.text
