"""A fit of trees: early stopping, and the end of a fit without a finite loss."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from random_boosters import make_boosting

from pipeline.config.sections.families.trees import TreesConfig
from pipeline.core.errors import PipelineError
from trainer_module.heads import BinaryHead
from trainer_module.trees.state import TreesBackup, TreesState
from trainer_module.trees.tree_fit import Limits, fit_trees

HEAD = BinaryHead(("a", "b"), np.array([1.0, 1.0]))


def fit(folder: Path, **settings: float) -> TreesState:
    boosting = make_boosting(**settings)
    limits = Limits(TreesConfig(**settings))
    return fit_trees(boosting, TreesBackup(str(folder)), limits, HEAD)


def test_early_stopping_ends_a_fit_within_a_stage(tmp_path: Path) -> None:
    state = fit(tmp_path, early_stopping=3, learning_rate=0.5, backup_iterations=40)
    assert state.best_epoch is not None
    assert len(state.epochs) == state.best_epoch + 4
    assert [epoch["steps"] for epoch in state.epochs] == list(range(1, len(state.epochs) + 1))


def test_the_length_of_a_stage_changes_no_loss(tmp_path: Path) -> None:
    losses = [
        [e["eval_loss"] for e in fit(tmp_path / str(n), iterations=9, backup_iterations=n).epochs]
        for n in (4, 100)
    ]
    assert losses[0] == pytest.approx(losses[1], rel=1e-9)


def test_the_time_limit_ends_a_fit_after_the_iteration_that_exceeds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, steps = tmp_path / "events.jsonl", tmp_path / "steps"
    monkeypatch.setenv("PIPELINE_EVENTS", str(events))
    monkeypatch.setenv("PIPELINE_STEPS", str(steps))
    boosting, backup = make_boosting(), TreesBackup(str(tmp_path))
    limits = Limits(TreesConfig(), seconds=1e-6, steps_before=70)
    state = fit_trees(boosting, backup, limits, HEAD)
    assert (len(state.epochs), state.is_out_of_time, state.is_exhausted) == (1, True, False)
    # A tick of 0 tells the supervisor that the export follows.
    assert json.loads(steps.read_text()) == [71, 0]
    assert fit_trees(boosting, backup, limits, HEAD) == state, "the time of a killed run counts"
    told = [json.loads(line) for line in events.read_text().splitlines()]
    assert [e["event"] for e in told] == ["progress", "trained", "resumed", "trained"]
    assert [e["time_limit"] for e in told if e["event"] == "trained"] == [1e-6, 1e-6]


def test_trees_that_cannot_be_split_end_the_fit(tmp_path: Path) -> None:
    state = fit(tmp_path, min_leaf_rows=300)
    assert (len(state.epochs), state.is_exhausted) == (1, True)


def test_a_fit_without_a_finite_loss_is_an_error(tmp_path: Path) -> None:
    TreesBackup(str(tmp_path)).save(
        TreesState([{"loss": 1.0, "eval_loss": float("nan")}], ["text"], is_exhausted=True)
    )
    with pytest.raises(PipelineError, match="NaN or infinite in every iteration"):
        fit(tmp_path)
