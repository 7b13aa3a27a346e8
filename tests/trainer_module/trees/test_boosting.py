"""Stages of boosting."""

from __future__ import annotations

import pytest
from random_boosters import make_boosting

from trainer_module.trees.boosting import Boosting


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
