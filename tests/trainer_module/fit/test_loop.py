"""Keras's loop and the loop written out here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

from trainer_module.fit.loop import EpochPlan, FitLoop, choose_loop, custom_fit, keras_fit
from trainer_module.fit.train_step import TrainingModel
from trainer_module.heads import RegressionHead

PLAN = EpochPlan(first_epoch=1, epochs=3, steps=5, evaluation_steps=2)


class Record(tf_keras.callbacks.Callback):
    """Records the calls and the metrics."""

    def __init__(self, last_epoch: int | None = None) -> None:
        super().__init__()
        self.calls: list[str] = []
        self.losses: list[float] = []
        self._last_epoch = last_epoch

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.calls.append(f"step {batch}")

    def on_test_begin(self, logs: Any = None) -> None:
        self.calls.append("evaluation")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.calls.append(f"epoch {epoch}")
        self.losses += [logs["loss"], logs["val_loss"]]
        self.model.stop_training = epoch == self._last_epoch


def run(loop: FitLoop, record: Record) -> list[np.ndarray]:
    """Trains a network of fixed initial weights and returns its weights."""
    network = tf_keras.Sequential([tf_keras.layers.Dense(1, input_shape=(2,))])
    network.set_weights([np.array([[0.1], [0.2]]), np.array([0.3])])
    head = RegressionHead(np.array([-1.0, 1.0]))
    model = TrainingModel(network, head)
    model.compile("sgd", head.loss, steps_per_execution=2)
    rows = np.random.default_rng(0).normal(size=(40, 2)).astype(np.float32)
    batches = (
        tf.data.Dataset.from_tensor_slices((rows, rows.sum(axis=1, keepdims=True)))
        .batch(4)
        .repeat()
    )
    # As in a fit, the steps of an evaluation are one pass over its rows.
    evaluation = batches.unbatch().take(40).batch(20).repeat()
    loop(model, batches, evaluation, PLAN, [record])
    weights: list[np.ndarray] = model.get_weights()
    return weights


def test_both_loops_give_the_same_weights_and_metrics() -> None:
    ours, theirs = Record(), Record()
    for one, other in zip(run(custom_fit, ours), run(keras_fit, theirs), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    assert ours.calls == theirs.calls
    assert ours.calls[:5] == ["step 1", "step 3", "step 4", "evaluation", "epoch 1"]
    assert ours.losses == pytest.approx(theirs.losses, rel=1e-5)


def test_a_callback_ends_the_custom_loop() -> None:
    record = Record(last_epoch=1)
    run(custom_fit, record)
    assert record.calls[-1] == "epoch 1"


def test_auto_is_the_custom_loop_off_a_tpu() -> None:
    strategy = tf.distribute.get_strategy()
    assert choose_loop("auto", strategy) is choose_loop("custom", strategy) is custom_fit
    assert choose_loop("fit", strategy) is keras_fit
