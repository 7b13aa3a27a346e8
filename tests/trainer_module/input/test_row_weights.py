"""Weights of rows: by class, by a column, and refused columns."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tiny_run import custom_config, transform

from pipeline.config import LabelConfig, TrainingConfig
from pipeline.core.errors import DataError
from trainer_module.heads import make_head
from trainer_module.input.examples import open_examples
from trainer_module.input.row_weights import RowWeights, fit_row_weights
from trainer_module.names import LABEL_KEY, WEIGHT_KEY
from trainer_module.run import run_fn

CLASSES = ("a", "b", "c")


_SPEC = {
    LABEL_KEY: tf.io.FixedLenFeature([1], tf.int64),
    WEIGHT_KEY: tf.io.FixedLenFeature([1], tf.float32),
}


class Rows:
    """Labels and weights of a split."""

    def __init__(self, labels: list[int], weights: list[float]) -> None:
        self.labels = np.array(labels)
        self._weights = np.array(weights, np.float32)

    def column(self, name: str) -> np.ndarray:
        assert name == WEIGHT_KEY
        return self._weights


def fitted(classes: Any, labels: list[int], weights: list[float], column: str | None) -> RowWeights:
    label = LabelConfig(column="y", task="multiclass", classes=CLASSES, weight_column=column)
    chosen = TrainingConfig(class_weights=classes).class_weights
    rows = Rows(labels, weights)
    return fit_row_weights(label, chosen, rows, rows)


def test_balanced_classes_count_the_same() -> None:
    labels = [0] * 6 + [1] * 3 + [2]
    weights = fitted("balanced", labels, [], None)
    given = weights.weigh_rows(tf.constant(labels)[:, tf.newaxis], None).numpy()[:, 0]
    sums = np.bincount(labels, given)
    np.testing.assert_allclose(sums, 10 / 3, rtol=1e-6)


def test_a_class_without_training_rows_does_not_decide_the_evaluation() -> None:
    weights = fitted("balanced", [0] * 6 + [1] * 2, [], None)
    assert weights.by_class == pytest.approx((4 / 6, 4 / 2, 1.0))


def test_classes_without_a_weight_count_once() -> None:
    weights = fitted({"b": 5}, [0, 1, 2], [], None)
    assert weights.by_class == pytest.approx((3 / 7, 15 / 7, 3 / 7))
    head = make_head(
        LabelConfig(column="y", task="multiclass", classes=CLASSES), np.arange(3), weights
    )
    assert np.exp(head.bias) == pytest.approx(np.array([6.5, 18.5, 6.5]) / 31.5)


def test_stated_weights_have_a_mean_of_1_over_the_training_rows() -> None:
    labels = [0, 0, 0, 1]
    weights = fitted({"b": 5}, labels, [], None)
    given = weights.weigh_rows(tf.constant(labels)[:, tf.newaxis], None).numpy()[:, 0]
    np.testing.assert_allclose(given, [0.5, 0.5, 0.5, 2.5], rtol=1e-6)


def test_a_column_of_weights_is_brought_to_a_mean_of_one() -> None:
    weights = fitted(None, [0, 1, 2], [10, 20, 30], "w")
    column = tf.constant([[10.0], [30.0]])
    np.testing.assert_allclose(weights.weigh_rows(tf.constant([[0], [1]]), column), [[0.5], [1.5]])


def test_rows_without_weights_have_no_weight_tensor() -> None:
    assert fitted(None, [0, 1, 2], [], None).weigh_rows(tf.constant([[0]]), None) is None


@pytest.mark.parametrize("bad", [math.nan, -1.0, math.inf])
def test_a_weight_that_is_missing_negative_or_infinite_is_refused(bad: float) -> None:
    with pytest.raises(DataError, match="'w' is missing, negative or infinite in 1 of 3 rows"):
        fitted(None, [0, 1, 2], [1, bad, 1], "w")


def test_weights_that_are_all_0_are_refused() -> None:
    with pytest.raises(DataError, match="'w' is all 0"):
        fitted(None, [0, 1, 2], [0, 0, 0], "w")


def test_weights_of_the_evaluation_split_are_checked_too() -> None:
    label = LabelConfig(column="y", task="multiclass", classes=CLASSES, weight_column="w")
    train, evaluation = Rows([0, 1], [1, 1]), Rows([0, 1], [1, math.nan])
    with pytest.raises(DataError, match="1 of 2 rows of the evaluation split"):
        fit_row_weights(label, None, train, evaluation)


@pytest.mark.slow
def test_rows_of_weight_0_do_not_change_the_model(tmp_path: Path) -> None:
    """Half of the rows have the opposite label; their weight of 0 takes them out of the loss."""
    x = np.random.default_rng(0).normal(size=400)
    lies = np.arange(400) % 2 == 1
    labels = ["yes" if (value > 0) != lie else "no" for value, lie in zip(x, lies, strict=True)]
    table = {"x": x.tolist(), "w": [0.0 if lie else 3.0 for lie in lies], "y": labels}
    config = custom_config(
        {"x": {"kind": "numeric"}},
        {"column": "y", "task": "binary", "classes": ["no", "yes"], "weight_column": "w"},
        training={"epochs": 8, "learning_rate": 0.02, "class_weights": {"yes": 2.0}},
    )
    fn_args = transform(tmp_path, {"train": table, "eval": table}, config)
    run_fn(fn_args)
    history = json.loads(Path(fn_args.model_run_dir, "history.json").read_text())
    assert history["epochs"][-1]["eval_loss"] < 0.35
    served = tf.saved_model.load(fn_args.serving_model_dir).signatures["serving_default"]
    assert set(served.structured_input_signature[1]) == {"x"}
    answer = served(x=tf.constant([[-1.0], [1.0]]))["probability"].numpy()
    assert answer[0] < 0.3 < 0.8 < answer[1]
    transformed = open_examples(fn_args.train_files, _SPEC)
    assert set(transformed.column(WEIGHT_KEY)) == {0.0, 3.0}
