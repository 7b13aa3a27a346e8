"""Metrics of weighted rows equal those that the Evaluator accumulates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from components.evaluator.accumulator import MetricAccumulator
from components.evaluator.binary import BinaryAccumulator
from components.evaluator.multiclass import MulticlassAccumulator
from components.evaluator.regression import RegressionAccumulator
from components.predictions.metrics import make_weighted_metrics, metrics
from components.predictions.terms import Array
from pipeline.config import Task

CLASSES = ("red", "green", "blue")
ACCUMULATORS: dict[Task, type[MetricAccumulator]] = {
    "binary": BinaryAccumulator,
    "multiclass": MulticlassAccumulator,
    "regression": RegressionAccumulator,
}
PROBABILITY = st.floats(0, 1, width=32) | st.just(np.nan)


@st.composite
def rows(draw: st.DrawFn) -> tuple[Task, Array, Array, Array]:
    """Labels, predictions and whole-number weights, one row of weight 1 or more."""
    task: Task = draw(st.sampled_from(list(ACCUMULATORS)))
    n = draw(st.integers(1, 12))
    weights = draw(arrays.arrays(np.int64, n, elements=st.integers(0, 3)))
    weights[0] += 1
    if task == "regression":
        number = st.floats(-1e6, 1e6, width=32)
        labels, predictions = (draw(arrays.arrays(np.float32, n, elements=number)) for _ in "yp")
    elif task == "binary":
        labels = draw(arrays.arrays(np.int64, n, elements=st.integers(0, 1)))
        predictions = draw(arrays.arrays(np.float32, n, elements=PROBABILITY))
    else:
        labels = draw(arrays.arrays(np.int64, n, elements=st.integers(0, 2)))
        number = st.floats(0.0078125, 1, width=32) | st.just(np.nan)
        predictions = draw(arrays.arrays(np.float32, (n, 3), elements=number))
    return task, labels, predictions, weights


@given(rows())
def test_a_row_of_weight_w_counts_as_the_evaluator_counts_w_equal_rows(
    given_rows: tuple[Task, Array, Array, Array],
) -> None:
    task, labels, predictions, weights = given_rows
    repeated = (np.repeat(labels, weights), np.repeat(predictions, weights, axis=0))
    expected = ACCUMULATORS[task].from_batch(*repeated).metrics(CLASSES)
    ours = metrics(labels, predictions, task, CLASSES, weights.astype(float))
    _assert_equal(ours, expected, labels)
    alone = ACCUMULATORS[task].from_batch(labels, predictions).metrics(CLASSES)
    _assert_equal(metrics(labels, predictions, task, CLASSES), alone, labels)


def _assert_equal(ours: dict[str, float], expected: dict[str, float], labels: Array) -> None:
    assert list(ours) == list(expected)
    if np.ptp(labels) < 1e-3 * np.abs(labels).max():
        # Rounding decides whether labels that are nearly constant have a variance.
        ours.pop("r2", None), expected.pop("r2", None)
    if abs(labels.mean()) < 1e-3 * np.abs(labels).max():
        ours.pop("calibration", None), expected.pop("calibration", None)
    assert ours == pytest.approx(expected, nan_ok=True, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("task", list(ACCUMULATORS))
def test_many_weightings_at_once_equal_one_at_a_time(task: Task) -> None:
    random = np.random.default_rng(0)
    labels: Any = random.integers(0, 2, 200)
    predictions = random.dirichlet((1, 1, 1), 200).astype(np.float32)
    if task != "multiclass":
        predictions = predictions[:, 0]
    weights = random.integers(0, 4, (7, 200)).astype(float)
    together = make_weighted_metrics(labels, predictions, task, CLASSES)(weights)
    for index, row in enumerate(weights):
        alone = metrics(labels, predictions, task, CLASSES, row)
        values = {name: value[index] for name, value in together.items()}
        assert values == pytest.approx(alone, nan_ok=True)


def test_rows_without_weight_may_have_undefined_predictions() -> None:
    for task, bad in (("binary", np.nan), ("regression", np.inf)):
        found = metrics(
            np.array([0, 1, 1]),
            np.array([0.2, 0.7, bad]),
            task,
            CLASSES,
            np.array([1.0, 1.0, 0.0]),  # type: ignore[arg-type]
        )
        assert not any(np.isnan(value) for value in found.values()), task


def test_no_rows_have_undefined_metrics() -> None:
    none = np.empty(0)
    for task in ACCUMULATORS:
        shaped = np.empty((0, 3)) if task == "multiclass" else none
        assert all(np.isnan(v) for v in metrics(none, shaped, task, CLASSES).values())
