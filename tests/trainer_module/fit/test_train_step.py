"""The training step: micro-batches, XLA, and networks that cannot learn."""

from __future__ import annotations

import re

import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from tiny_models import Trained, build_untrained, read_all_rows

from pipeline.config import LabelConfig, ModelConfig
from trainer_module.fit.train_step import TrainingModel
from trainer_module.heads import make_head
from trainer_module.input.examples import Examples


@pytest.mark.slow
def test_micro_batches_give_the_gradients_of_the_whole_batch(binary: Trained) -> None:
    config = ModelConfig(family="ensemble", hidden_units=(8,), members=3, numeric_bins=4)
    model, head, train = build_untrained(binary, config)
    columns, labels = read_all_rows(train)
    found = []
    for micro_batch_size in (None, 100):
        trainee = TrainingModel(model, head, micro_batch_size)
        trainee.compile("sgd", loss=head.loss)
        found.append(trainee.gradients((columns, labels, None)))
    for whole, pieces in zip(tf.nest.flatten(found[0]), tf.nest.flatten(found[1])):
        np.testing.assert_allclose(whole, pieces, rtol=1e-4, atol=1e-6)


def make_model(trained: Trained, family: str) -> tuple[tf_keras.Model, Examples]:
    network, head, train = build_untrained(trained, ModelConfig(family=family))
    model = TrainingModel(network, head)
    model.compile("adam", loss=head.loss)
    return model, train


@pytest.mark.slow
def test_a_network_whose_loss_depends_on_no_weight_is_refused(
    binary: Trained, own_networks_module: None
) -> None:
    model, train = make_model(binary, "own_networks.idle")
    with pytest.raises(ValueError, match=r"none of the network's weights \(.*dense/bias:0\)"):
        model.fit(*read_all_rows(train), batch_size=32, verbose=0)


@pytest.mark.slow
def test_a_weight_that_the_loss_does_not_depend_on_stays(
    binary: Trained, own_networks_module: None, caplog: pytest.LogCaptureFixture
) -> None:
    model, train = make_model(binary, "own_networks.half_idle")
    before = {w.name: w.numpy() for w in model.trainable_variables}
    model.fit(*read_all_rows(train), batch_size=32, verbose=0)
    changed = {w.name for w in model.trainable_variables if np.any(w.numpy() != before[w.name])}
    of_network = {name for name in changed if not name.startswith("ngrams__")}
    assert of_network == {"dense_1/kernel:0", "dense_1/bias:0"}
    assert re.search(r"does not depend on .*dense/kernel:0, dense/bias:0$", caplog.text, re.M)
    assert "AutoGraph" not in caplog.text


@pytest.mark.parametrize("micro_batch_size", [None, 3])
def test_xla_compiles_whole_batches_but_no_micro_batches(micro_batch_size: int | None) -> None:
    """XLA compiles here as for a TPU: strategy tpu refuses micro-batches for this reason."""
    label = LabelConfig.model_validate({"column": "y", "task": "regression"})
    head = make_head(label, np.arange(8, dtype=np.float32))
    network = tf_keras.Sequential([tf_keras.layers.Dense(1, input_shape=(4,))])
    model = TrainingModel(network, head, micro_batch_size)
    model.compile("sgd", head.loss)
    compiled = tf.function(model.gradients, jit_compile=True)
    batch = (tf.zeros([8, 4]), tf.zeros([8, 1]), None)
    if micro_batch_size is None:
        compiled(batch)
        return
    with pytest.raises(tf.errors.InvalidArgumentError):
        compiled(batch)
