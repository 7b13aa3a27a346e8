"""Progress events, and the step counts that a supervisor reads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import tf_keras

from trainer_module.fit.callbacks.fit_position import FitPosition
from trainer_module.fit.callbacks.progress import ProgressEvents, WorkerSteps


class Look(tf_keras.callbacks.Callback):
    """Reads the file after the callback that writes it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self.seen: list[tuple[str, int, bool]] = []

    def on_train_batch_end(self, batch: int, logs: object = None) -> None:
        self._look("step")

    def on_test_begin(self, logs: object = None) -> None:
        self._look("evaluation")

    def on_test_batch_end(self, batch: int, logs: object = None) -> None:
        self._look("evaluated")

    def on_train_end(self, logs: object = None) -> None:
        self._look("end")

    def _look(self, when: str) -> None:
        steps, ticks = json.loads(self._path.read_text())
        self.seen.append((when, steps, ticks > 0))


def test_the_tick_is_0_before_an_evaluation_and_after_training(tmp_path: Path) -> None:
    path, rows = tmp_path / "steps", np.ones((2, 1))
    look = Look(path)
    model = tf_keras.Sequential([tf_keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    callbacks = [WorkerSteps(str(path), steps_before=40), look]
    model.fit(rows, rows, 2, 1, 0, callbacks, validation_data=(rows, rows))
    assert look.seen == [
        ("step", 41, True),
        ("evaluation", 41, False),
        ("evaluated", 41, True),
        ("end", 41, False),
    ]


def test_each_epoch_ends_with_an_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, rows = tmp_path / "events.jsonl", np.ones((8, 1))
    monkeypatch.setenv("PIPELINE_EVENTS", str(path))
    model = tf_keras.Sequential([tf_keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    position = FitPosition(0, 0)
    callbacks = [position, ProgressEvents(position, 2, 4, examples_per_step=2)]
    model.fit(rows, rows, 2, 2, 0, callbacks, validation_data=(rows, rows))
    events = [json.loads(line) for line in path.read_text().splitlines()]
    ends = [event for event in events if event["eval_loss"] is not None]
    assert [(e["epoch"], e["epochs"], e["step"], e["steps_per_epoch"]) for e in ends] == [
        (1, 2, 4, 4),
        (2, 2, 4, 4),
    ]
    assert ends[0]["seconds_left"] > ends[1]["seconds_left"] == 0
