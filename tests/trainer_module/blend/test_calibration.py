"""The temperature of a part of a blend."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, softmax

from pipeline.config import LabelConfig
from trainer_module.blend.calibration import find_temperature
from trainer_module.heads import Head, make_head


def draw(task: str, rows: int, seed: int) -> tuple[Head, np.ndarray, np.ndarray]:
    """Returns labels that follow the probabilities of the logits, and the logits."""
    random = np.random.default_rng(seed)
    if task == "binary":
        logits = random.normal(0, 1.5, (rows, 1)).astype(np.float32)
        labels = (random.random(rows) < expit(logits[:, 0])).astype(np.int64)
    else:
        logits = random.normal(0, 1.5, (rows, 3)).astype(np.float32)
        below = np.cumsum(softmax(logits, axis=1), axis=1)
        labels = (random.random((rows, 1)) > below[:, :2]).sum(axis=1)
    classes = ("a", "b", "c")[: 2 if task == "binary" else 3]
    return make_head(LabelConfig(column="y", task=task, classes=classes), labels), labels, logits


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_a_part_that_exaggerates_is_corrected(task: str) -> None:
    head, labels, logits = draw(task, 4000, seed=0)
    assert find_temperature(3 * logits, labels, None, head) == pytest.approx(3, rel=0.15)
    assert find_temperature(logits / 2, labels, None, head) == pytest.approx(0.5, rel=0.15)


def test_right_probabilities_and_few_rows_leave_a_part_as_it_is() -> None:
    kept = 0
    for seed in range(30):
        head, labels, logits = draw("binary", 1000, seed)
        kept += find_temperature(logits, labels, None, head) == 1
    assert kept >= 28
    head, labels, logits = draw("binary", 20, seed=0)
    assert find_temperature(1.5 * logits, labels, None, head) == 1


def test_rows_of_weight_0_do_not_count() -> None:
    head, labels, logits = draw("binary", 4000, seed=1)
    logits[:2000] *= 5
    weights = np.repeat(np.array([0, 1], np.float32), 2000)
    assert find_temperature(logits, labels, weights, head) == pytest.approx(1, abs=0.2)
    assert find_temperature(logits, labels, 1 - weights, head) == pytest.approx(5, rel=0.3)


def test_numbers_are_not_corrected() -> None:
    labels = np.arange(500, dtype=np.float32)
    head = make_head(LabelConfig(column="y", task="regression"), labels)
    assert find_temperature(9 * labels[:, None], labels, None, head) == 1
