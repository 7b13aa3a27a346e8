"""What all metric accumulators have in common, and the helpers that they share."""

import math
import operator
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.evaluator.accumulator import MetricAccumulator, sum_by_key
from components.evaluator.binary import BinaryAccumulator
from components.evaluator.multiclass import MulticlassAccumulator
from components.evaluator.regression import RegressionAccumulator
from pipeline.config import METRICS

RANDOM = np.random.default_rng(0)
ROWS = 3000
CLASSES = ("red", "green", "blue", "never")
LABELS = RANDOM.random(ROWS) < 0.2
PROBABILITIES = np.clip(RANDOM.beta(1, 4, ROWS) + 0.25 * LABELS, 0, 1).astype(np.float32)
COLORS = RANDOM.integers(0, 3, ROWS)
COLOR_PROBABILITIES = RANDOM.dirichlet((1, 1, 1, 0.2), ROWS)


@given(st.lists(st.integers(1, ROWS - 1), max_size=5, unique=True))
def test_accumulators_of_parts_add_up_to_that_of_the_whole(cuts: list[int]) -> None:
    examples: list[tuple[type[MetricAccumulator], np.ndarray, np.ndarray]] = [
        (BinaryAccumulator, LABELS, PROBABILITIES),
        (MulticlassAccumulator, COLORS, COLOR_PROBABILITIES),
        (RegressionAccumulator, COLORS.astype(float), COLOR_PROBABILITIES[:, 0]),
    ]
    for kind, labels, predictions in examples:
        parts = zip(np.split(labels, sorted(cuts)), np.split(predictions, sorted(cuts)))
        total = reduce(operator.add, [kind.from_batch(*part) for part in parts])
        assert total.count == ROWS
        whole = kind.from_batch(labels, predictions).metrics(CLASSES)
        assert total.metrics(CLASSES) == pytest.approx(whole, nan_ok=True)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_one_prediction_that_is_not_finite_makes_all_metrics_nan(bad: float) -> None:
    colors = np.array([[0.5, 0.5, 0, 0], [bad, 0, 0, 0]])
    accumulators = [
        BinaryAccumulator.from_batch(np.array([0, 1]), np.array([0.1, bad])),
        MulticlassAccumulator.from_batch(np.array([0, 1]), colors),
        RegressionAccumulator.from_batch(np.array([0.0, 1.0]), np.array([0.1, bad])),
    ]
    for accumulator in accumulators:
        assert all(math.isnan(value) for value in accumulator.metrics(CLASSES).values())
        doubled = accumulator + accumulator
        assert all(math.isnan(value) for value in doubled.metrics(CLASSES).values())


@pytest.mark.parametrize(
    ("task", "accumulator"),
    [
        ("binary", BinaryAccumulator.from_batch(LABELS, PROBABILITIES)),
        ("multiclass", MulticlassAccumulator.from_batch(COLORS, COLOR_PROBABILITIES)),
        ("regression", RegressionAccumulator.from_batch(PROBABILITIES, PROBABILITIES)),
    ],
)
def test_the_accumulator_of_a_task_computes_all_metrics_of_the_task(
    task: str, accumulator: MetricAccumulator
) -> None:
    names = {name.split("[")[0] for name in accumulator.metrics(CLASSES)}
    assert names == {name for name, metric in METRICS.items() if task in metric.tasks}


def test_rows_with_equal_keys_are_summed() -> None:
    keys, sums = sum_by_key(np.array([7, 3, 7]), np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]]))
    assert keys.tolist() == [3, 7]
    assert sums.tolist() == [[2, 20], [5, 50]]
