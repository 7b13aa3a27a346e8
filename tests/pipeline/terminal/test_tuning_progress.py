"""The lines about a running search."""

import io
from typing import Any

from recorded_run import render_table
from rich.console import Console

from pipeline.core.events import (
    ComponentChanged,
    Envelope,
    PipelineStarted,
    TrainingProgress,
    TrainingResumed,
    TrialChanged,
)
from pipeline.terminal.display import Display

VALUES = [
    {"model.hidden_units": [64], "training.learning_rate": 0.0004388, "model.family": "dnn"},
    {"model.hidden_units": [16, 8], "training.learning_rate": 1e-05, "model.family": "linear"},
]
VALUES[1]["model.options.text"] = VALUES[0]["model.options.text"] = "no, {1}"


def trial(name: str, status: str, **fields: Any) -> Envelope:
    row = {"trial": name, "status": status, "values": VALUES[int(name) - 1], "runs": 1}
    return Envelope(TrialChanged(**row, trials=3, **fields))


def progress(epoch: int) -> TrainingProgress:
    where = {"epoch": epoch, "epochs": 20, "step": 9, "steps_per_epoch": 9}
    return TrainingProgress(**where, loss=0.5, eval_loss=0.4, examples_per_second=10.0)


EVENTS = [
    Envelope(PipelineStarted(("Transform", "Tuner", "Trainer"))),
    Envelope(ComponentChanged("Transform", "cached", seconds=0.1)),
    Envelope(ComponentChanged("Tuner", "running")),
    trial("1", "running", ended=0, best=None),
    trial("2", "running", ended=0, best=None),
    Envelope(progress(7), trial="1"),
    Envelope(progress(3), trial="2"),
    Envelope(TrainingResumed(epoch=3, step=0), trial="2"),
    trial("2", "lost", ended=0, best=None, message="its process was killed by signal 9"),
    trial("1", "done", ended=1, best=0.41, objective=0.41),
]


def row_of_tuner(events: list[Envelope], width: int = 110) -> str:
    return next(line for line in render_table(events, width) if line.startswith("Tuner"))


def test_the_table_shows_the_running_trials() -> None:
    assert "0 of 3 trials done  trial 1: starting  trial 2: starting" in row_of_tuner(EVENTS[:5])
    shown = row_of_tuner(EVENTS[:8])
    assert "0 of 3 trials done  trial 1: epoch 7 of 20  trial 2: epoch 3 of 20" in shown
    assert row_of_tuner(EVENTS[:9]).endswith("0 of 3 trials done  trial 1: epoch 7 of 20")
    assert row_of_tuner(EVENTS).endswith("1 of 3 trials done  best 0.4100")


def test_a_narrow_terminal_shows_as_many_trials_as_fit() -> None:
    for width in range(40, 120):
        line = row_of_tuner(EVENTS[:8], width)
        assert len(line) <= width
    assert row_of_tuner(EVENTS[:8], 60).endswith("0 of 3 trials done")


def test_a_log_has_a_line_for_each_ended_trial() -> None:
    file = io.StringIO()
    with Display(Console(file=file, width=200)) as display:
        for event in EVENTS:
            display.show(event)
    values = "model.hidden_units [16, 8], training.learning_rate 1e-05, model.family linear"
    first, second = file.getvalue().splitlines()[1:]
    assert first.startswith(f"  trial 2 of 3: lost, its process was killed by signal 9; {values}, ")
    assert second.startswith("  trial 1 of 3: 0.4100, the best so far 0.4100; model.hidden_units")
