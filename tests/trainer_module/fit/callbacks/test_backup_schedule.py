"""When callbacks back a fit up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

from pipeline.config import TrainingConfig
from pipeline.config.sections.training import RecoveryConfig
from trainer_module.fit.backup import Backup
from trainer_module.fit.callbacks import backup_schedule
from trainer_module.fit.callbacks.backup_schedule import BackupWithinEpoch, EpochEnd
from trainer_module.fit.callbacks.fit_position import FitPosition

ROWS = np.ones((8, 1))


def make_model() -> tf_keras.Model:
    model = tf_keras.Sequential([tf_keras.layers.Dense(1, input_shape=(1,))])
    model.compile("sgd", "mse")
    return model


def test_the_last_epoch_is_recorded_backed_up_and_ends_the_fit(tmp_path: Path) -> None:
    model = make_model()
    backup = Backup(model, str(tmp_path), is_chief=True)
    callback = EpochEnd(backup, TrainingConfig(epochs=2), steps_per_epoch=4)
    model.fit(ROWS, ROWS, 2, 9, 0, [callback], validation_data=(ROWS, ROWS))
    first, second = backup.state.epochs
    assert first.keys() == {"loss", "eval_loss", "steps", "learning_rate", "seconds"}
    assert (first["steps"], second["steps"]) == (4, 8)
    assert tf.train.latest_checkpoint(str(tmp_path)) is not None


def test_a_short_epoch_before_the_last_is_not_backed_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However busy the machine is, the epoch is short.
    monkeypatch.setattr(backup_schedule, "_FEWEST_SECONDS", 3600.0)
    model = make_model()
    backup = Backup(model, str(tmp_path), is_chief=True)
    config = TrainingConfig(epochs=9, recovery=RecoveryConfig(backup_seconds=3600))
    callback = EpochEnd(backup, config, steps_per_epoch=4)
    model.fit(ROWS, ROWS, 2, 1, 0, [callback], validation_data=(ROWS, ROWS))
    assert tf.train.latest_checkpoint(str(tmp_path)) is None


def test_a_long_epoch_is_backed_up_after_a_measured_step(tmp_path: Path) -> None:
    """The first step is not measured, and the last one belongs to the end of the epoch."""
    model, position = make_model(), FitPosition(0, 0)
    backup = Backup(model, str(tmp_path), is_chief=True)
    callback = BackupWithinEpoch(backup, position, seconds=1e-9, steps_per_epoch=4)
    model.fit(ROWS, ROWS, 2, 1, 0, [position, callback])
    assert backup.state.step == 2
    assert tf.train.latest_checkpoint(str(tmp_path)) is not None


def test_an_epoch_shorter_than_the_interval_is_not_backed_up_within(tmp_path: Path) -> None:
    model, position = make_model(), FitPosition(0, 0)
    backup = Backup(model, str(tmp_path), is_chief=True)
    callback = BackupWithinEpoch(backup, position, seconds=3600, steps_per_epoch=4)
    model.fit(ROWS, ROWS, 2, 1, 0, [position, callback])
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
