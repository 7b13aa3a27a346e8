"""A share of 0 or 1 has an interval that its rows allow, where a bootstrap has a point."""

import numpy as np
import pyarrow as pa
import pytest

from components.predictions.bootstrap import bootstrap
from components.predictions.estimates import Estimate, subtract_independent
from components.predictions.support import count_support
from components.predictions.table import Predictions
from components.predictions.terms import Array


def make(labels: Array, candidate: Array, served: Array | None = None) -> Predictions:
    return Predictions(
        "binary", ("no", "yes"), "test", np.arange(len(labels)), labels,
        candidate.astype(np.float32), None if served is None else served.astype(np.float32),
        dict[str, pa.Array](), len(labels),
    )  # fmt: skip


LABELS = np.array([1] * 10 + [0] * 90)
FOUR_RIGHT = np.where(np.arange(100) < 4, 0.9, 0.1)


def test_rows_that_bear_a_metric_are_counted() -> None:
    found = count_support(LABELS, FOUR_RIGHT, "binary", ("no", "yes"))
    assert found == {
        "auc": 10, "pr_auc": 10, "accuracy": 100, "balanced_accuracy": 10, "precision": 4,
        "recall": 10, "f1": 10,
    }  # fmt: skip
    probabilities = np.eye(3)[[0, 0, 1, 2]]
    found = count_support(np.array([0, 1, 1, 2]), probabilities, "multiclass", ("a", "b", "c"))
    assert [found[f"precision[{c}]"] for c in "abc"] == [2, 1, 1]
    assert [found[f"recall[{c}]"] for c in "abc"] == [1, 2, 1]
    assert [found[f"f1[{c}]"] for c in "abc"] == [2, 2, 1]
    assert found["macro_f1"] == 1
    assert count_support(LABELS, FOUR_RIGHT, "regression", ()) == {}


def test_a_precision_of_one_reaches_down_as_far_as_its_rows_allow() -> None:
    found = bootstrap(make(LABELS, FOUR_RIGHT)).candidate["precision"]
    # 0.51 by Wilson's formula for 4 of 4.
    assert found == Estimate(1.0, pytest.approx(4 / (4 + 1.96**2), abs=1e-4), 1.0, 4)
    none_right = np.where((np.arange(100) >= 50) & (np.arange(100) < 58), 0.9, 0.1)
    found = bootstrap(make(LABELS, none_right)).candidate["precision"]
    assert found == Estimate(0.0, 0.0, pytest.approx(1.96**2 / (8 + 1.96**2), abs=1e-4), 8)


def test_an_f1_of_one_has_an_interval() -> None:
    found = bootstrap(make(LABELS, np.where(LABELS == 1, 0.9, 0.1))).candidate
    share = 10 / (10 + 1.96**2)
    assert found["f1"].low == pytest.approx(2 * share / (1 + share), abs=1e-4)
    assert found["auc"].low == pytest.approx(share, abs=1e-4)
    assert found["log_loss"].examples is None


def test_the_difference_to_a_share_of_one_may_be_chance() -> None:
    served = np.where(np.arange(100) % 10 < 5, 0.9, 0.1)
    served[30:] = 0.1
    found = bootstrap(make(LABELS, FOUR_RIGHT, served))
    difference = (found.difference or {})["precision"]
    independent = subtract_independent(
        found.candidate["precision"], (found.served or {})["precision"]
    )
    assert difference.value == pytest.approx(1 - 5 / 15)
    assert difference.low == independent.low
    # Equal answers differ by nothing, whatever the share.
    same = (bootstrap(make(LABELS, FOUR_RIGHT, FOUR_RIGHT)).difference or {})["precision"]
    assert (same.value, same.low, same.high) == (0.0, 0.0, 0.0)
