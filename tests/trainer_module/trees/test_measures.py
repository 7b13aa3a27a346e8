"""Metrics of trees that count each row once, under the project's names and in the label's unit."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from logits_near_half import logits_near_half
from random_boosters import make_rows
from sklearn.metrics import accuracy_score, mean_absolute_error, roc_auc_score
from sklearn.metrics import mean_squared_error as mean_square

from pipeline.config import LabelConfig, TrainingConfig
from pipeline.config.sections.families.trees import TreesConfig
from trainer_module.heads import BinaryHead, RegressionHead, make_head
from trainer_module.trees.boosting import Boosting
from trainer_module.trees.library import lightgbm
from trainer_module.trees.measures import choose_row_metrics, compute_auc, name_measures
from trainer_module.trees.settings import make_parameters
from trainer_module.trees.table import Table

CLASSES = {"binary": ("a", "b"), "multiclass": ("a", "b", "c"), "regression": ()}


def train(task: str) -> tuple[dict[str, float], list[np.ndarray], list[np.ndarray]]:
    """Trains on weighted rows; returns the last measures, and labels and predictions by split."""
    tables = []
    for seed in (0, 1):
        rows, random = make_rows(300, seed), np.random.default_rng(seed)
        targets = np.nan_to_num(rows[:, 0]) + random.normal(size=300)
        if task != "regression":
            targets = np.digitize(targets, [-0.5, 0.5][: len(CLASSES[task]) - 1])
        weights = np.where(rows[:, 4] == 1, 5.0, 0.2).astype(np.float32)
        tables.append(Table(rows, targets.astype(np.float32), weights))
    label = LabelConfig(column="y", task=task, classes=CLASSES[task])
    parameters = make_parameters(label, TreesConfig(), TrainingConfig(), 300)
    measured: list[dict[str, float]] = []

    def record(measures: dict[str, float]) -> bool:
        measured.append(measures)
        return True

    text = Boosting(*tables, [3, 4], parameters, seed=0).train_stage(5, record)
    booster = lightgbm.Booster(model_str=text)
    predicted = [np.asarray(booster.predict(table.rows)) for table in tables]
    return measured[-1], [table.targets for table in tables], predicted


def test_metrics_of_weighted_classes_count_each_row_once() -> None:
    for task, error in (("binary", "binary_error"), ("multiclass", "multi_error")):
        measures, labels, predicted = train(task)
        for prefix, truth, scores in zip(("", "eval_"), labels, predicted, strict=True):
            chosen = scores.argmax(axis=1) if scores.ndim > 1 else scores >= 0.5
            wanted = 1 - accuracy_score(truth, chosen)
            assert measures[prefix + error] == pytest.approx(wanted), (task, prefix)
        if task == "binary":
            wanted = roc_auc_score(labels[1], predicted[1])
            assert measures["eval_auc"] == pytest.approx(wanted)


def test_errors_of_weighted_numbers_count_each_row_once_and_the_loss_its_weight() -> None:
    measures, labels, predicted = train("regression")
    for prefix, truth, numbers in zip(("", "eval_"), labels, predicted, strict=True):
        square = mean_square(truth, numbers)
        assert measures[f"{prefix}rmse"] == pytest.approx(square**0.5, rel=1e-5)
        assert measures[f"{prefix}l1"] == pytest.approx(mean_absolute_error(truth, numbers))
        assert measures[f"{prefix}l2"] != pytest.approx(square, rel=1e-3)


@pytest.mark.parametrize("weights", [None, np.full(8, 2.0, np.float32)], ids=["plain", "weighted"])
@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_equally_likely_classes_are_judged_by_the_class_that_is_served(
    task: str, weights: np.ndarray | None
) -> None:
    # No column tells the rows apart: each class is as likely as the others.
    targets = np.arange(8, dtype=np.float32) % (2 if task == "binary" else 4)
    rows = np.zeros((8, 1), np.float32)
    tables = [Table(rows, labels, weights) for labels in (targets, np.ones(8, np.float32))]
    label = LabelConfig(column="y", task=task, classes=tuple("abcd"[: len(set(targets))]))
    parameters = make_parameters(label, TreesConfig(), TrainingConfig(), 8)
    measured: list[dict[str, float]] = []
    Boosting(*tables, [], parameters, seed=0).train_stage(
        1, lambda measures: bool(measured.append(measures))
    )
    head = make_head(label, targets)
    served = head.predictions(tf.zeros([8, head.units]))["class"].numpy().astype(str)
    error = "binary_error" if task == "binary" else "multi_error"
    for key, table in zip((error, f"eval_{error}"), tables, strict=True):
        wanted = np.array(label.classes)[table.targets.astype(int)]
        assert measured[0][key] == float((served != wanted).mean())


def test_the_error_of_nearly_equal_classes_is_that_of_the_served_class() -> None:
    logits = logits_near_half()
    head = BinaryHead(("a", "b"), np.ones(2))
    served = head.predictions(tf.constant(logits[:, np.newaxis]))["class"].numpy() == b"b"
    data = lightgbm.Dataset(np.zeros((len(logits), 1)), served).construct()
    plain, _ = choose_row_metrics("binary")
    [(_, error, _)] = plain(1 / (1 + np.exp(-logits.astype(np.float64))), data)
    assert error == 0


def test_the_area_counts_ties_half() -> None:
    random = np.random.default_rng(0)
    labels, scores = random.integers(0, 2, 500), random.integers(0, 30, 500) / 10
    assert compute_auc(labels, scores) == pytest.approx(roc_auc_score(labels, scores))


def test_the_area_of_one_class_is_a_half() -> None:
    assert compute_auc(np.ones(3), np.arange(3.0)) == 0.5


def test_errors_become_accuracies() -> None:
    head = BinaryHead(("a", "b"), np.array([1.0, 1.0]))
    measured = {"binary_logloss": 0.3, "eval_binary_error": 0.25, "eval_auc": 0.9}
    assert name_measures(measured, head) == {
        "loss": 0.3,
        "eval_accuracy": 0.75,
        "eval_auc": 0.9,
    }


def test_errors_of_a_regression_are_in_the_labels_unit() -> None:
    head = RegressionHead(np.array([0.0, 20.0]))
    named = name_measures({"l2": 0.25, "rmse": 0.3, "eval_l1": 0.5}, head)
    assert named == pytest.approx({"loss": 0.25, "rmse": 3.0, "eval_mae": 5.0})
