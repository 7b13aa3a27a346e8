"""Fitting: early stopping, the best weights, dropout and divergence."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tiny_models import Trained, refit

from pipeline.core.errors import PipelineError
from trainer_module.fit.backup import Backup
from trainer_module.fit.callbacks import progress, steps_per_execution

pytestmark = pytest.mark.slow


def test_training_stops_early_and_serves_the_best_weights(binary: Trained, tmp_path: Path) -> None:
    history = refit(binary, tmp_path, epochs=30, learning_rate=0.05, early_stopping_patience=2)
    losses = [epoch["eval_loss"] for epoch in history["epochs"]]
    assert len(losses) < 30
    assert history["best_epoch"] == len(losses) - 2
    assert losses[history["best_epoch"] - 1] == min(losses)


@pytest.mark.long
def test_dropout_depends_on_the_seed_and_the_step_alone(binary: Trained, tmp_path: Path) -> None:
    """The loop, the steps per execution and an interruption have no effect."""
    runs: dict[str, dict[str, Any]] = {
        "custom": {},
        "few at a time": {"steps_per_execution": 3},
        "fit": {"loop": "fit"},
        "cut": {"recovery": {"backup_seconds": 1e-4}, "steps_per_execution": 1},
        "other": {"seed": 1},
    }
    save = Backup.save

    def save_and_stop(backup: Backup) -> None:
        save(backup)
        if backup.state.step and len(backup.state.epochs) == 1:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Backup, "save", save_and_stop)
        with pytest.raises(KeyboardInterrupt):
            refit(binary, tmp_path / "cut", dropout=0.5, epochs=3, **runs["cut"])
    losses = {
        name: [
            epoch["eval_loss"]
            for epoch in refit(binary, tmp_path / name, dropout=0.5, epochs=3, **run)["epochs"]
        ]
        for name, run in runs.items()
    }
    assert losses["few at a time"] == losses["fit"] == losses["cut"] == losses["custom"]
    assert losses["other"] != pytest.approx(losses["custom"], rel=1e-3)
    without = refit(binary, tmp_path / "without", epochs=3)["epochs"]
    assert without[0]["eval_loss"] != pytest.approx(losses["custom"][0], rel=1e-3)


def test_divergence_names_the_first_step_with_a_nan_loss(binary: Trained, tmp_path: Path) -> None:
    """TensorFlow has run more steps before Python sees the loss."""
    messages = []
    for steps in (1, 16):
        with pytest.raises(PipelineError) as caught:
            refit(
                binary,
                tmp_path / str(steps),
                optimizer="sgd",
                learning_rate=1e38,
                steps_per_execution=steps,
            )
        messages.append(caught.value.message)
        assert "training.learning_rate" in caught.value.hint
    pattern = (
        r"the loss is (nan|inf) in epoch 1, at step \d, whose batch has 15 rows, labels 0 to 1; '"
    )
    assert re.search(pattern, messages[0])
    assert messages[0].partition(" in ")[2] == messages[1].partition(" in ")[2]


@pytest.mark.parametrize("loop", ["custom", "fit"])
def test_the_time_limit_ends_an_epoch_early_and_its_weights_are_evaluated(
    binary: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loop: str
) -> None:
    events = tmp_path / "events.jsonl"
    monkeypatch.setenv("PIPELINE_EVENTS", str(events))
    history = refit(binary, tmp_path, epochs=30, seconds=0.01, steps_per_execution=2, loop=loop)
    [epoch] = history["epochs"]
    assert epoch["steps"] == 2
    assert epoch["eval_loss"] > 0
    assert (history["best_epoch"], history["time_limit"]) == (1, 0.01)
    told = [json.loads(line) for line in events.read_text().splitlines()]
    assert [e["step"] for e in told if e.get("eval_loss") is not None] == [2]
    assert [e["time_limit"] for e in told if e["event"] == "trained"] == [0.01]


def test_short_steps_run_many_at_a_time(binary: Trained, tmp_path: Path) -> None:
    """The first epoch is measured; later epochs use the measured number from their start."""
    events = tmp_path / "events.jsonl"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIPELINE_EVENTS", str(events))
        patch.setattr(progress, "SECONDS_BETWEEN_UPDATES", 0.0)
        # On a busy machine, no 16 steps fit in a tenth of a second.
        patch.setattr(steps_per_execution, "_SECONDS", 10.0)
        refit(binary, tmp_path, epochs=3)
    emitted = [json.loads(line) for line in events.read_text().splitlines()]
    assert [e["step"] for e in emitted if e["event"] == "progress"] == [8, 16, 16, 16, 16, 16, 16]
    assert [emitted[0]["event"], emitted[-1]["event"]] == ["batches", "trained"]
    losses = [e["eval_loss"] for e in emitted if e.get("eval_loss") is not None]
    assert emitted[-1]["best_eval_loss"] == min(losses)
    assert emitted[-1]["best_epoch"] == 1 + losses.index(min(losses))
