"""Stages of boosting, and the area under the ROC curve."""

from __future__ import annotations

import numpy as np
import pytest
from random_boosters import make_boosting
from sklearn.metrics import roc_auc_score

from trainer_module.trees.boosting import Boosting, compute_auc


def train(boosting: Boosting, iterations: int) -> tuple[str, list[dict[str, float]]]:
    measured: list[dict[str, float]] = []

    def record(measures: dict[str, float]) -> bool:
        measured.append(measures)
        return True

    return boosting.train_stage(iterations, record), measured


def test_a_stage_goes_on_where_the_last_one_ended() -> None:
    whole, staged = make_boosting(), make_boosting()
    _, at_once = train(whole, 6)
    text, first = train(staged, 3)
    staged.finish_stage(text)
    _, second = train(staged, 3)
    for key in ("binary_logloss", "eval_binary_logloss", "eval_auc"):
        values = [measures[key] for measures in first + second]
        assert values == pytest.approx([measures[key] for measures in at_once], rel=1e-9)


def test_a_stage_without_a_possible_split_ends_after_one_iteration() -> None:
    text, measured = train(make_boosting(min_leaf_rows=300), 5)
    assert len(measured) == 1
    assert text.count("\nTree=") == 1


def test_recording_can_end_a_stage() -> None:
    assert make_boosting().train_stage(5, lambda _: False).count("\nTree=") == 1


@pytest.mark.parametrize("weighted", [False, True])
def test_the_area_counts_ties_half_and_takes_weights(weighted: bool) -> None:
    random = np.random.default_rng(0)
    labels, scores = random.integers(0, 2, 500), random.integers(0, 30, 500) / 10
    weights = random.random(500) if weighted else None
    wanted = roc_auc_score(labels, scores, sample_weight=weights)
    assert compute_auc(labels, scores, weights) == pytest.approx(wanted)


def test_the_area_of_one_class_is_a_half() -> None:
    assert compute_auc(np.ones(3), np.arange(3.0), None) == 0.5
