"""The time limit of a fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tf_keras

from pipeline.config import TrainingConfig
from trainer_module.fit.backup import Backup
from trainer_module.fit.callbacks.backup_schedule import EpochEnd
from trainer_module.fit.callbacks.time_limit import TimeLimit

ROWS = np.ones((8, 1))


def fit(folder: Path, seconds: float, is_within_epochs: bool = True) -> list[float]:
    """Fits three epochs of four steps; returns the steps done at the end of each epoch."""
    model = tf_keras.Sequential([tf_keras.layers.Dense(1, input_shape=(1,))])
    model.compile("sgd", "mse")
    backup = Backup(model, str(folder), is_chief=True)
    callbacks = [
        TimeLimit(backup.state, seconds, is_within_epochs),
        EpochEnd(backup, TrainingConfig(epochs=3, early_stopping_patience=0), steps_per_epoch=4),
    ]
    model.fit(ROWS, ROWS, 2, 3, 0, callbacks, validation_data=(ROWS, ROWS))
    assert backup.state.is_out_of_time == (len(backup.state.epochs) < 3)
    assert all("eval_loss" in epoch for epoch in backup.state.epochs)
    return [epoch["steps"] for epoch in backup.state.epochs]


def test_the_time_ends_a_fit_after_the_step_that_exceeds_it_and_an_evaluation(
    tmp_path: Path,
) -> None:
    assert fit(tmp_path / "short", seconds=1e-6) == [1]
    assert fit(tmp_path / "long", seconds=3600) == [4, 8, 12]


def test_the_time_ends_a_coordinated_fit_at_the_end_of_an_epoch(tmp_path: Path) -> None:
    assert fit(tmp_path, seconds=1e-6, is_within_epochs=False) == [4]
