"""Weights of a blend's parts."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from pipeline.config import LabelConfig
from trainer_module.blend.weights import find_weights
from trainer_module.heads import Head, make_head

ROWS = 4000


def make_task(task: str) -> tuple[Head, np.ndarray]:
    random = np.random.default_rng(3)
    if task == "regression":
        labels = random.normal(50, 20, ROWS).astype(np.float32)
        return make_head(LabelConfig(column="y", task="regression"), labels), labels
    classes = ("a", "b", "c")[: 2 if task == "binary" else 3]
    labels = random.integers(0, len(classes), ROWS)
    return make_head(LabelConfig(column="y", task=task, classes=classes), labels), labels


def guess(head: Head, labels: np.ndarray, noise: float, seed: int) -> np.ndarray:
    """Returns outputs of a part that knows the labels up to independent noise."""
    random = np.random.default_rng(seed)
    if labels.dtype.kind == "f":
        return (labels + random.normal(0, noise, ROWS)).astype(np.float32)[:, None]
    truth = np.eye(head.units)[labels] if head.units > 1 else labels[:, None] - 0.5
    return (2 * truth + random.normal(0, noise, (ROWS, head.units))).astype(np.float32)


def compute_loss(
    head: Head, outputs: list[np.ndarray], labels: np.ndarray, w: list[float]
) -> float:
    kept = [(o, x) for o, x in zip(outputs, w, strict=True) if x]
    mean = head.combine_members(
        tf.constant(np.stack([o for o, _ in kept], axis=1)), [x for _, x in kept]
    )
    return float(np.mean(head.loss(tf.constant(labels[:, None]), mean)))


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_the_weights_give_the_lowest_loss_of_all_weights(task: str) -> None:
    head, labels = make_task(task)
    outputs = [guess(head, labels, 3.0, 1), guess(head, labels, 1.5, 2)]
    weights = find_weights(outputs, labels, None, head)
    assert sum(weights) == pytest.approx(1)
    found = compute_loss(head, outputs, labels, weights)
    others = [compute_loss(head, outputs, labels, [w, 1 - w]) for w in np.linspace(0, 1, 21)]
    assert found < min(others) + 1e-4 * abs(min(others))
    assert found < min(others[0], others[-1]), "both parts together are better than one"
    assert weights[1] > weights[0], "the better part counts more"


def test_a_part_that_knows_nothing_has_no_weight() -> None:
    head, labels = make_task("binary")
    random = np.random.default_rng(9).normal(0, 5, (ROWS, 1)).astype(np.float32)
    assert find_weights([random, guess(head, labels, 0.1, 1)], labels, None, head) == [0.0, 1.0]


def test_rows_of_weight_0_do_not_count() -> None:
    head, labels = make_task("regression")
    bad, good = guess(head, labels, 9.0, 1), guess(head, labels, 0.0, 2)
    good[: ROWS // 2] += 1000
    weights = np.repeat(np.array([0, 1], np.float32), ROWS // 2)
    assert find_weights([bad, good], labels, weights, head) == [0.0, 1.0]
    assert find_weights([bad, good], labels, None, head)[0] > 0.9


def test_a_part_that_is_sure_and_wrong_gives_a_finite_loss() -> None:
    head, labels = make_task("binary")
    wrong = np.where(labels[:, None] == 1, -5000.0, 5000.0).astype(np.float32)
    assert find_weights([wrong, np.zeros_like(wrong)], labels, None, head) == [0.0, 1.0]


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_few_rows_leave_weight_to_each_of_two_like_parts(task: str) -> None:
    """By the rows alone, one of two like parts often gets no weight."""
    head, labels = make_task(task)
    outputs = [guess(head, labels, 3.0, 1), guess(head, labels, 3.0, 2)]
    for start in range(0, 200, 20):
        rows = slice(start, start + 20)
        found = find_weights([output[rows] for output in outputs], labels[rows], None, head)
        assert 0.15 < found[0] < 0.85


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_a_clearly_worse_part_has_no_weight_even_with_few_rows(task: str) -> None:
    head, labels = make_task(task)
    bad, good = guess(head, labels, 60.0, 1)[:40], guess(head, labels, 0.3, 2)[:40]
    assert find_weights([bad, good], labels[:40], None, head) == [0.0, 1.0]


def test_parts_without_any_error_count_the_same() -> None:
    head, labels = make_task("regression")
    exact = labels[:, None].astype(np.float32)
    assert find_weights([exact, exact], labels, None, head) == [0.5, 0.5]
