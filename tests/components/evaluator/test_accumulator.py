"""The metrics against scikit-learn's, and tallies of parts against those of the whole."""

import math
import operator
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sklearn

from components.evaluator.accumulator import MetricAccumulator
from components.evaluator.binary import BinaryAccumulator
from components.evaluator.multiclass import MulticlassAccumulator
from components.evaluator.regression import RegressionAccumulator
from pipeline.config import METRICS

RANDOM = np.random.default_rng(0)
CLASSES = ("red", "green", "blue", "never")
LABELS = RANDOM.random(5000) < 0.2
PROBABILITIES = np.clip(RANDOM.beta(1, 4, 5000) + 0.25 * LABELS, 0, 1).astype(np.float32)
COLORS = RANDOM.integers(0, 3, 3000)
COLOR_PROBABILITIES = RANDOM.dirichlet((1, 1, 1, 0.2), 3000)
COLOR_PROBABILITIES[np.arange(3000), COLORS] += 0.3
COLOR_PROBABILITIES /= COLOR_PROBABILITIES.sum(axis=1, keepdims=True)


def test_binary_metrics_equal_scikit_learns() -> None:
    ours = BinaryAccumulator.from_batch(LABELS.astype(int), PROBABILITIES).metrics(("0", "1"))
    predicted = PROBABILITIES > 0.5
    expected = {
        "auc": sklearn.roc_auc_score(LABELS, PROBABILITIES),
        "pr_auc": sklearn.average_precision_score(LABELS, PROBABILITIES),
        "accuracy": sklearn.accuracy_score(LABELS, predicted),
        "balanced_accuracy": sklearn.balanced_accuracy_score(LABELS, predicted),
        "precision": sklearn.precision_score(LABELS, predicted),
        "recall": sklearn.recall_score(LABELS, predicted),
        "f1": sklearn.f1_score(LABELS, predicted),
        "log_loss": sklearn.log_loss(LABELS, PROBABILITIES.astype(float)),
        "calibration": PROBABILITIES.mean(dtype=float) / LABELS.mean(),
    }
    assert ours == pytest.approx(expected, abs=1e-3)
    assert ours["auc"] == pytest.approx(expected["auc"], abs=2e-5)


def test_the_scores_of_rare_classes_stay_apart() -> None:
    labels = RANDOM.random(200_000) < 1e-3
    logits = RANDOM.normal(-12, 1, len(labels)) + 1.5 * labels
    probabilities = (1 / (1 + np.exp(-logits))).astype(np.float32)
    ours = BinaryAccumulator.from_batch(labels, probabilities).metrics(("0", "1"))
    assert ours["auc"] == pytest.approx(sklearn.roc_auc_score(labels, probabilities), abs=1e-4)


def test_multiclass_metrics_equal_scikit_learns() -> None:
    ours = MulticlassAccumulator.from_batch(COLORS, COLOR_PROBABILITIES).metrics(CLASSES)
    predicted = COLOR_PROBABILITIES.argmax(axis=1)
    labels = range(4)
    assert ours["accuracy"] == sklearn.accuracy_score(COLORS, predicted)
    assert ours["macro_f1"] == pytest.approx(sklearn.f1_score(COLORS, predicted, average="macro"))
    assert ours["log_loss"] == pytest.approx(
        sklearn.log_loss(COLORS, COLOR_PROBABILITIES, labels=labels)
    )
    for index, name in enumerate(CLASSES[:3]):
        for metric, score in {
            "precision": sklearn.precision_score,
            "recall": sklearn.recall_score,
            "f1": sklearn.f1_score,
        }.items():
            expected = score(COLORS, predicted, average=None, labels=labels)[index]
            assert ours[f"{metric}[{name}]"] == pytest.approx(expected)
    assert math.isnan(ours["recall[never]"])


def test_a_class_that_never_occurs_does_not_count() -> None:
    ours = MulticlassAccumulator.from_batch(np.array([0, 1]), np.eye(4)[:2]).metrics(CLASSES)
    assert ours["macro_f1"] == 1


def test_regression_metrics_equal_scikit_learns_also_for_large_labels() -> None:
    labels = 1e8 + RANDOM.normal(size=1000)
    predictions = labels + RANDOM.normal(scale=0.5, size=1000)
    parts = [
        RegressionAccumulator.from_batch(labels[rows], predictions[rows])
        for rows in np.array_split(np.arange(1000), 7)
    ]
    ours = reduce(operator.add, parts).metrics(())
    assert ours["r2"] == pytest.approx(sklearn.r2_score(labels, predictions), rel=1e-6)
    assert ours["mae"] == pytest.approx(sklearn.mean_absolute_error(labels, predictions))
    assert ours["rmse"] ** 2 == pytest.approx(sklearn.mean_squared_error(labels, predictions))
    assert ours["calibration"] == pytest.approx(1)


@given(st.lists(st.integers(1, 2999), max_size=5, unique=True))
def test_tallies_of_parts_add_up(cuts: list[int]) -> None:
    examples: list[tuple[type[MetricAccumulator], np.ndarray, np.ndarray]] = [
        (BinaryAccumulator, LABELS[:3000], PROBABILITIES[:3000]),
        (MulticlassAccumulator, COLORS, COLOR_PROBABILITIES),
        (RegressionAccumulator, COLORS.astype(float), COLOR_PROBABILITIES[:, 0]),
    ]
    for tally, labels, predictions in examples:
        parts = zip(np.split(labels, sorted(cuts)), np.split(predictions, sorted(cuts)))
        total = reduce(operator.add, [tally.from_batch(*part) for part in parts])
        assert total.count == 3000
        whole = tally.from_batch(labels, predictions).metrics(CLASSES)
        assert total.metrics(CLASSES) == pytest.approx(whole, nan_ok=True)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_prediction_that_is_no_number_leaves_no_metric(bad: float) -> None:
    tallies = [
        BinaryAccumulator.from_batch(np.array([0, 1]), np.array([0.1, bad])),
        MulticlassAccumulator.from_batch(
            np.array([0, 1]), np.array([[0.5, 0.5, 0, 0], [bad, 0, 0, 0]])
        ),
        RegressionAccumulator.from_batch(np.array([0.0, 1.0]), np.array([0.1, bad])),
    ]
    for tally in tallies:
        assert all(math.isnan(value) for value in tally.metrics(CLASSES).values())
        assert all(math.isnan(value) for value in (tally + tally).metrics(CLASSES).values())


def test_one_class_alone_has_no_area_and_certainty_no_infinite_loss() -> None:
    ours = BinaryAccumulator.from_batch(np.array([1, 1]), np.array([1.0, 0.0])).metrics(("0", "1"))
    assert math.isnan(ours["auc"])
    assert ours["pr_auc"] == 1
    assert 8 < ours["log_loss"] < 9


@pytest.mark.parametrize(
    ("task", "tally"),
    [
        ("binary", BinaryAccumulator.from_batch(LABELS, PROBABILITIES)),
        ("multiclass", MulticlassAccumulator.from_batch(COLORS, COLOR_PROBABILITIES)),
        ("regression", RegressionAccumulator.from_batch(PROBABILITIES, PROBABILITIES)),
    ],
)
def test_every_metric_of_the_task_is_there(task: str, tally: MetricAccumulator) -> None:
    names = {name.split("[")[0] for name in tally.metrics(CLASSES)}
    assert names == {name for name, metric in METRICS.items() if task in metric.tasks}
