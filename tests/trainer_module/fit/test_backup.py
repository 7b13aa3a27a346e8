"""The state of a fit, its backup and early stopping."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import tf_keras

from pipeline.config import TrainingConfig
from pipeline.core.errors import PipelineError
from trainer_module.fit.backup import Backup, FitState, backup_key


def test_patience_counts_from_the_best_epoch() -> None:
    state = FitState()
    two = TrainingConfig(epochs=10, early_stopping_patience=2)
    assert not state.is_over(two, 16)
    for loss in (0.5, 0.4, math.nan):
        state.epochs.append({"eval_loss": loss})
    assert state.best_epoch == 1
    assert not state.is_over(two, 16)
    state.epochs.append({"eval_loss": 0.4})
    assert state.best_epoch == 1
    assert state.is_over(two, 16)
    assert not state.is_over(TrainingConfig(epochs=10, early_stopping_patience=0), 16)
    assert state.is_over(TrainingConfig(epochs=4, early_stopping_patience=0), 16)


def test_patience_counts_steps_where_epochs_are_short() -> None:
    state = FitState()
    state.epochs = [{"eval_loss": loss} for loss in (0.4, 0.5, 0.5)]
    config = TrainingConfig(early_stopping_patience=1, early_stopping_steps=30)
    assert not state.is_over(config, steps_per_epoch=14)
    assert state.is_over(config, steps_per_epoch=15)


def test_the_state_survives_a_checkpoint() -> None:
    state, restored = FitState(), FitState()
    state.epochs = [{"eval_loss": 0.5, "größe": 1.0}]
    state.step = 5
    state.best_weights = [np.ones([2, 3], np.float32), np.array(7)]
    restored.deserialize(state.serialize())
    assert (restored.epochs, restored.step) == (state.epochs, 5)
    for one, other in zip(restored.best_weights, state.best_weights, strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype


def test_the_time_of_an_interrupted_fit_counts_and_ends_it_after_the_epoch() -> None:
    state, restored = FitState(), FitState()
    state._seconds_before, state.is_out_of_time, state.step = 100.0, True, 5
    restored.deserialize(state.serialize())
    assert 100 < restored.seconds < 110
    assert not restored.is_over(TrainingConfig(), 16), "the epoch has no eval loss yet"
    restored.step = 0
    assert restored.is_over(TrainingConfig(), 16)


@pytest.mark.parametrize(
    ("pattern", "content"),
    [("*.data-*", b"damaged"), ("checkpoint", b""), ("checkpoint", b"\xff\xfe")],
)
def test_a_damaged_backup_is_refused(tmp_path: Path, pattern: str, content: bytes) -> None:
    model = tf_keras.Sequential([tf_keras.layers.Dense(1, input_shape=(2,))])
    model.compile("adam", "mse")
    Backup(model, str(tmp_path), is_chief=True).save()
    for path in tmp_path.glob(pattern):
        path.write_bytes(content)
    with pytest.raises(PipelineError, match="cannot be restored") as caught:
        Backup(model, str(tmp_path), is_chief=True).restore()
    assert "remove the directory" in caught.value.hint


def test_a_restored_backup_has_the_weights_and_the_state(tmp_path: Path) -> None:
    def make_model() -> tf_keras.Model:
        model = tf_keras.Sequential([tf_keras.layers.Dense(1, input_shape=(2,))])
        model.compile("adam", "mse")
        return model

    saved, restored = make_model(), make_model()
    backup = Backup(saved, str(tmp_path), is_chief=True)
    backup.state.record({"eval_loss": 0.5}, saved)
    backup.save()
    again = Backup(restored, str(tmp_path), is_chief=True)
    again.restore()
    assert again.state.epochs == [{"eval_loss": 0.5}]
    np.testing.assert_array_equal(restored.get_weights()[0], saved.get_weights()[0])


def test_only_the_chief_saves_to_the_directory(tmp_path: Path) -> None:
    model = tf_keras.Sequential([tf_keras.layers.Dense(1, input_shape=(2,))])
    model.compile("adam", "mse")
    Backup(model, str(tmp_path), is_chief=False).save()
    assert list(tmp_path.iterdir()) == []


def test_another_backup_belongs_to_other_settings_or_other_files(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_text("1")
    key = backup_key("settings", [str(path)])
    assert backup_key("settings", [str(path)]) == key
    assert backup_key("other settings", [str(path)]) != key
    path.write_text("12")
    assert backup_key("settings", [str(path)]) != key
