"""The backup of a training of trees, and when the training is over."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.config.sections.families.trees import TreesConfig
from pipeline.core.errors import PipelineError
from trainer_module.trees.state import TreesBackup, TreesState


def make_state(*losses: float) -> TreesState:
    return TreesState([{"eval_loss": loss} for loss in losses])


def test_a_backup_returns_what_was_saved(tmp_path: Path) -> None:
    backup = TreesBackup(str(tmp_path / "new"))
    assert backup.restore() == TreesState()
    state = make_state(0.5, 0.4)
    state.is_out_of_time = True
    for text in ("first", "second"):
        state.stages.append(text)
        backup.save(state)
    assert backup.restore() == state


def test_a_stage_that_the_state_does_not_count_is_ignored(tmp_path: Path) -> None:
    backup = TreesBackup(str(tmp_path))
    state = make_state(0.5)
    state.stages.append("first")
    backup.save(state)
    (tmp_path / "stage-00001.txt").write_text("half a stage")
    assert backup.restore().stages == ["first"]


@pytest.mark.parametrize("damage", ["not JSON", "[]", '{"stages": 1, "epochs": []}', '{"a": 1}'])
def test_a_damaged_backup_is_refused_with_the_way_out(tmp_path: Path, damage: str) -> None:
    (tmp_path / "trees.json").write_text(damage)
    with pytest.raises(PipelineError, match="cannot be restored") as refused:
        TreesBackup(str(tmp_path)).restore()
    assert "remove the directory" in refused.value.hint


@pytest.mark.parametrize(
    ("losses", "settings", "is_over"),
    [
        ((3, 2, 1), {"iterations": 4}, False),
        ((3, 2, 1, 0), {"iterations": 4}, True),
        ((3, 1, 2), {"early_stopping": 2}, False),
        ((3, 1, 2, 2), {"early_stopping": 2}, True),
        ((3, 1, 2, 2), {"early_stopping": 0}, False),
        ((float("nan"), float("nan")), {"early_stopping": 2}, True),
    ],
)
def test_patience_and_iterations_end_a_training(
    losses: tuple[float, ...], settings: dict[str, int], is_over: bool
) -> None:
    assert make_state(*losses).is_over(TreesConfig(**settings)) == is_over


def test_a_loss_that_leaves_nothing_to_learn_ends_a_training_with_early_stopping() -> None:
    state = make_state(3, 0.01, 0.02)
    assert state.is_over(TreesConfig(), least_loss=0.011)
    assert not state.is_over(TreesConfig(), least_loss=0.01)
    assert not state.is_over(TreesConfig(early_stopping=0), least_loss=0.011)
    assert not make_state(float("nan")).is_over(TreesConfig(), least_loss=0.011)


def test_the_best_iteration_has_the_lowest_finite_loss() -> None:
    assert make_state(float("nan"), 2.0, 1.0, 1.0).best_epoch == 2
    assert make_state(float("nan")).best_epoch is None
    assert TreesState(is_exhausted=True).is_over(TreesConfig())
    assert TreesState(is_out_of_time=True).is_over(TreesConfig())
