"""The head of each task: bias, scale and refused labels."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from logits_near_half import logits_near_half

from components.predictions.terms import BinaryTerms, MulticlassTerms
from pipeline.config import LabelConfig
from pipeline.core.errors import DataError
from trainer_module.heads import make_head


@pytest.mark.parametrize(
    ("task", "labels", "message"),
    [
        ("binary", [0, 1, -1, -1], "'y' is not one of no, yes in 2 of 4 rows"),
        ("regression", [1.0, math.nan], "'y' is not a number in 1 of 2 rows"),
    ],
)
def test_invalid_labels_are_refused(task: str, labels: list[float], message: str) -> None:
    classes = ("no", "yes") if task == "binary" else ()
    label = LabelConfig(column="y", task=task, classes=classes)
    with pytest.raises(DataError, match=message):
        make_head(label, np.array(labels))


def test_the_bias_is_the_best_constant_prediction() -> None:
    binary = make_head(LabelConfig(column="y", task="binary", classes=("a", "b")), labels(90, 10))
    assert binary.bias == pytest.approx([math.log(0.1 / 0.9)], abs=0.05)
    never = make_head(LabelConfig(column="y", task="binary", classes=("a", "b")), labels(90, 0))
    assert math.isfinite(never.bias[0])
    three = LabelConfig(column="y", task="multiclass", classes=("a", "b", "c"))
    shares = np.exp(make_head(three, labels(50, 30, 20)).bias)
    assert shares == pytest.approx([0.5, 0.3, 0.2], abs=0.01)


def labels(*counts: int) -> np.ndarray:
    return np.repeat(np.arange(len(counts)), counts)


def test_the_loss_of_regression_is_on_the_standardised_scale() -> None:
    head = make_head(LabelConfig(column="y", task="regression"), np.array([1e6, 3e6], np.float32))
    output = head.output(tf_keras.Input([1]))
    model = tf_keras.Model(output.node.keras_inputs, output)
    prediction = model(tf.constant([[0.0], [1.0]]))
    np.testing.assert_allclose(prediction, [[2e6], [3e6]])
    loss = head.loss(tf.constant([[3e6], [3e6]]), prediction)
    np.testing.assert_allclose(loss, [1.0, 0.0])


def test_training_and_evaluator_count_the_class_that_is_served() -> None:
    head = make_head(LabelConfig(column="y", task="binary", classes=("no", "yes")), labels(1, 1))
    logits = tf.constant(logits_near_half()[:, np.newaxis])
    served = head.predictions(logits)
    is_yes = served["class"].numpy() == b"yes"
    assert is_yes.any()
    assert not is_yes.all()
    _, accuracy = head.metrics()
    # All at once, as served: the last bit of a sigmoid depends on the size of the batch.
    accuracy.update_state(is_yes[:, np.newaxis].astype(int), logits)
    assert accuracy.result().numpy() == 1
    terms = BinaryTerms.from_rows(is_yes.astype(float), served["probability"].numpy())
    np.testing.assert_array_equal(terms.predicted, is_yes)


def test_training_and_evaluator_count_the_class_that_is_served_of_several() -> None:
    three = LabelConfig(column="y", task="multiclass", classes=("a", "b", "c"))
    head = make_head(three, labels(1, 1, 1))
    logits = np.zeros((len(logits_near_half()), 3), np.float32)
    logits[:, 1], logits[:, 2] = logits_near_half(), -1
    served = head.predictions(tf.constant(logits))
    answers = np.searchsorted(np.array(three.classes, bytes), served["class"].numpy())
    assert set(answers) == {0, 1}
    [accuracy] = head.metrics()
    accuracy.update_state(answers[:, np.newaxis], logits)
    assert accuracy.result().numpy() == 1
    terms = MulticlassTerms.from_rows(answers, served["probabilities"].numpy())
    np.testing.assert_array_equal(terms.predicted, answers)
